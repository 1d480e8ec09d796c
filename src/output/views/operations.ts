/** The operations that are known here, as a person reads them: when, what, how it stands, and from where that is known. */
import type { Column } from '../columns.js';
import type { Cell } from '../table.js';
import { idCells } from '../short-ids.js';
import { renderTime } from '../time.js';
import type { JsonValue } from '../value.js';
import { environmentCell, money, textAt, valueUnder } from './blocks.js';
import { STATUS_MARKS } from './operation.js';
import type { OwnListView } from './own-list.js';
import { reasonCell } from './status.js';

/** An operation is a line, and one beneath it where there is no room. */
const COLUMNS: readonly Column[] = [
  { header: 'Env', whole: true },
  { header: 'At', whole: true },
  { header: 'Type', whole: true, below: 'together' },
  { header: 'Status', whole: true },
  { header: 'Amount', align: 'right', whole: true },
  { header: 'Id', whole: true, below: 'together' },
  { header: 'Reference', below: 'together' },
  { header: 'Why', below: 'together' },
  { header: 'Learned from', below: 'together' },
  { header: 'Bank reference', below: 'together' },
  { header: 'Method', whole: true, optional: true },
  { header: 'Key', whole: true, optional: true },
];

export const viewOperations: OwnListView = (operations, { zone }) => {
  const ids = idCells(operations.map((operation) => textAt(operation, 'id')));
  const rows = operations.map((operation, at): Cell[] => {
    const status = textAt(operation, 'status');
    return [
      environmentCell(operation),
      renderTime(timeOf(operation), zone),
      textAt(operation, 'type'),
      { text: status, mark: valueUnder(STATUS_MARKS, status) },
      { text: money(textAt(operation, 'amount'), textAt(operation, 'currency')), tone: 'strong' },
      ids[at] ?? '',
      textAt(operation, 'reference'),
      reasonCell(textAt(operation, 'code'), textAt(operation, 'failure_reason')),
      whereFrom(operation),
      textAt(operation, 'bank_reference'),
      textAt(operation, 'method'),
      textAt(operation, 'idempotency_key'),
    ];
  });
  return { block: 'table', columns: COLUMNS, rows, empty: 'No operations.' };
};

/** When it became final, else when it was made. */
function timeOf(operation: JsonValue): string {
  const times = ['occurred_at', 'confirmed_at', 'created_at'].map((name) => textAt(operation, name));
  return times.find((time) => time !== '') ?? '';
}

function whereFrom(operation: JsonValue): string {
  const [source, batch, line, key] = ['source', 'batch', 'line', 'idempotency_key'].map((name) =>
    textAt(operation, name),
  ) as [string, string, string, string];
  const made = batch !== '' ? `batch ${batch} line ${line}` : key !== '' ? 'a create' : '';
  const told = source === 'feed' ? 'events' : source === 'service' ? 'the service' : '';
  return [told, made].filter((text) => text !== '').join(', ');
}
