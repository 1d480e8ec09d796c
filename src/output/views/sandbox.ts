/** The lists that a sandbox says of itself, as a person reads them: what arrived and why it was refused, what waits for what, what was delivered. */
import type { Column } from '../columns.js';
import { idCells } from '../short-ids.js';
import type { Cell } from '../table.js';
import { renderTime } from '../time.js';
import { money, textAt, valueUnder } from './blocks.js';
import { listsIn, type OwnListView } from './own-list.js';

const REQUEST_COLUMNS: readonly Column[] = [
  { header: 'No.', align: 'right', whole: true },
  { header: 'Status', whole: true },
  { header: 'Method', whole: true },
  { header: 'Path', below: true },
  { header: 'At', whole: true, optional: true },
  { header: 'Company', whole: true, optional: true },
  { header: 'Fault', whole: true, optional: true },
  { header: 'Refused', below: true },
];

const viewRequests: OwnListView = (requests, { zone }) => ({
  block: 'table',
  columns: REQUEST_COLUMNS,
  rows: requests.map((request): Cell[] => [
    textAt(request, 'id'),
    statusCell(textAt(request, 'status')),
    textAt(request, 'method'),
    textAt(request, 'path'),
    renderTime(textAt(request, 'at'), zone),
    textAt(request, 'company'),
    textAt(request, 'fault'),
    textAt(request, 'refused'),
  ]),
  empty: 'No requests.',
});

/** Without a status the connection was cut. */
function statusCell(status: string): Cell {
  if (!/^[0-9]{3}$/.test(status)) return { text: 'cut', mark: 'bad' };
  return { text: status, mark: Number(status) < 400 ? 'good' : 'bad' };
}

const OPERATION_COLUMNS: readonly Column[] = [
  { header: 'Status', whole: true },
  { header: 'Type', whole: true },
  { header: 'Amount', align: 'right', whole: true },
  { header: 'Waits for', whole: true },
  { header: 'Id', whole: true, below: 'together' },
  { header: 'Reference', below: 'together' },
  { header: 'Until', whole: true, optional: true },
  { header: 'Method', whole: true, optional: true },
  { header: 'Company', whole: true, optional: true },
  { header: 'Environment', whole: true, optional: true },
];

const MARKS = { confirmed: 'good', pending: 'waiting' } as const;

const viewOperations: OwnListView = (operations, { zone }) => {
  const ids = idCells(operations.map((listed) => textAt(listed, 'operation', 'id')));
  const rows = operations.map((listed, at): Cell[] => {
    const of = (name: string): string => textAt(listed, 'operation', name);
    const status = of('status');
    return [
      { text: status, mark: valueUnder(MARKS, status) ?? 'bad' },
      of('type'),
      { text: money(of('amount'), of('currency')), tone: 'strong' },
      textAt(listed, 'waits_for', 'kind'),
      ids[at] ?? '',
      of('reference'),
      renderTime(textAt(listed, 'waits_for', 'until'), zone),
      of('method'),
      textAt(listed, 'company'),
      textAt(listed, 'environment'),
    ];
  });
  return { block: 'table', columns: OPERATION_COLUMNS, rows, empty: 'No operations.' };
};

const DELIVERY_COLUMNS: readonly Column[] = [
  { header: 'Status', whole: true },
  { header: 'Type', whole: true },
  { header: 'Attempts', align: 'right', whole: true },
  { header: 'Next attempt', whole: true },
  { header: 'Last answer', below: true },
  { header: 'URL', whole: true, below: true },
  { header: 'Id', whole: true, below: true },
  { header: 'Event', whole: true, below: true },
];

const DELIVERY_MARKS = { delivered: 'good', pending: 'waiting' } as const;

/** The ids stay whole: those of events are looked up elsewhere. Both sides of an attempt are in the JSON. */
const viewDeliveries: OwnListView = (deliveries, { zone }) => ({
  block: 'table',
  columns: DELIVERY_COLUMNS,
  rows: deliveries.map((delivery): Cell[] => {
    const status = textAt(delivery, 'status');
    const attempts = delivery.members.get('attempts')?.elements ?? [];
    const last = attempts.at(-1);
    return [
      { text: status, mark: valueUnder(DELIVERY_MARKS, status) ?? 'bad' },
      textAt(delivery, 'type'),
      String(attempts.length),
      renderTime(textAt(delivery, 'next_attempt_at'), zone),
      last === undefined ? '' : textAt(last, 'error') || textAt(last, 'status'),
      textAt(delivery, 'url'),
      textAt(delivery, 'id'),
      textAt(delivery, 'event_id'),
    ];
  }),
  empty: 'No deliveries.',
});

export const renderSandboxList = listsIn({
  requests: viewRequests,
  operations: viewOperations,
  deliveries: viewDeliveries,
});
