import type { Cell } from '../output/table.js';
import type { JsonValue } from '../output/value.js';
import { AMOUNT_COLUMN, amountCell, type ListColumn, listTable, textAt } from '../output/views/blocks.js';
import { renderTime } from '../output/time.js';
import { listRenderer } from '../output/views/own-list.js';

const REQUEST_COLUMNS: readonly ListColumn[] = [
  { header: 'No.', align: 'right', whole: true, content: 'id' },
  { header: 'Status', whole: true, content: (request) => statusCell(textAt(request, 'status')) },
  { header: 'Method', whole: true, content: 'method' },
  { header: 'Path', below: true, content: 'path' },
  { header: 'At', whole: true, optional: true, content: 'at' },
  { header: 'Company', whole: true, optional: true, content: 'company' },
  { header: 'Fault', whole: true, optional: true, content: 'fault' },
  { header: 'Refused', below: true, content: 'refused' },
];

function statusCell(status: string): Cell {
  if (!/^[0-9]{3}$/.test(status)) return { text: 'cut', mark: 'bad' };
  return { text: status, mark: Number(status) < 400 ? 'good' : 'bad' };
}

function outcomeCell(status: string): Cell {
  const isGood = status === 'confirmed' || status === 'delivered';
  return { text: status, mark: isGood ? 'good' : status === 'pending' ? 'waiting' : 'bad' };
}

const OPERATION_COLUMNS: readonly ListColumn[] = [
  { header: 'Status', whole: true, content: (entry) => outcomeCell(textAt(entry, 'operation', 'status')) },
  { header: 'Type', whole: true, content: 'operation.type' },
  {
    ...AMOUNT_COLUMN,
    content: ({ members }) => {
      const operation = members.get('operation');
      return operation === undefined ? '' : amountCell(operation);
    },
  },
  { header: 'Waits for', whole: true, content: 'waits_for.kind' },
  { header: 'Id', whole: true, below: 'together', content: 'operation.id', isId: true },
  { header: 'Reference', below: 'together', content: 'operation.reference' },
  {
    ...{ header: 'Until', whole: true, optional: true },
    content: (entry, zone) => renderTime(textAt(entry, 'waits_for', 'until'), zone),
  },
  { header: 'Method', whole: true, optional: true, content: 'operation.method' },
  { header: 'Company', whole: true, optional: true, content: 'company' },
  { header: 'Environment', whole: true, optional: true, content: 'environment' },
];

const DELIVERY_COLUMNS: readonly ListColumn[] = [
  { header: 'Id', whole: true, content: 'id', isId: true },
  { header: 'Status', whole: true, content: (delivery) => outcomeCell(textAt(delivery, 'status')) },
  { header: 'Type', whole: true, optional: true, content: 'type' },
  AMOUNT_COLUMN,
  { header: 'Reference', content: 'reference' },
  { header: 'Result', whole: true, content: resultCell },
  {
    ...{ header: 'Attempts', align: 'right', whole: true, optional: true },
    content: ({ members }) => String(members.get('attempts')?.elements.length ?? 0),
  },
  { header: 'Next attempt', whole: true, optional: true, content: 'next_attempt_at' },
  { header: 'URL', whole: true, optional: true, content: 'url' },
  { header: 'Fault', whole: true, optional: true, content: 'fault' },
  { header: 'Event', whole: true, optional: true, content: 'event_id', isId: true },
];

function resultCell(delivery: JsonValue): Cell {
  const result = textAt(delivery, 'result');
  const fault = textAt(delivery, 'fault');
  if (result === '')
    return fault === 'hold' || fault === 'reorder' ? { text: `held (${fault})`, mark: 'waiting' } : '';
  return { text: result, mark: result === 'delivered' ? 'good' : 'bad' };
}

const FAULT_COLUMNS: readonly ListColumn[] = [
  { header: 'No.', align: 'right', whole: true, content: 'id' },
  { header: 'Of', whole: true, content: (fault) => textAt(fault, 'route') || 'deliveries' },
  { header: 'Fault', whole: true, content: faultText },
  { header: 'Remaining', align: 'right', whole: true, content: 'remaining' },
  { header: 'Skip', align: 'right', whole: true, optional: true, content: 'skip' },
  { header: 'Match', below: true, optional: true, content: 'match' },
  {
    ...{ header: 'Until', whole: true, optional: true },
    content: (fault, zone) => renderTime(textAt(fault, 'until'), zone),
  },
];

function faultText(fault: JsonValue): string {
  const [code, reason] = [textAt(fault, 'failure', 'code'), textAt(fault, 'failure', 'reason')];
  const delayMs = textAt(fault, 'delay_ms');
  const detail =
    [textAt(fault, 'status'), textAt(fault, 'after') && 'after it is carried out']
      .filter(Boolean)
      .join(' ') ||
    (textAt(fault, 'pending') && 'pending') ||
    (code && `${code}/${reason}`) ||
    (delayMs && `${Number(delayMs) / 1000} s`);
  const kind = textAt(fault, 'delivery') || textAt(fault, 'kind');
  return detail === '' ? kind : `${kind} ${detail}`;
}

export const renderSandboxList = listRenderer({
  faults: (faults, { zone }) => listTable(faults, FAULT_COLUMNS, 'No faults are armed.', zone),
  requests: (requests, { zone }) => listTable(requests, REQUEST_COLUMNS, 'No requests.', zone),
  operations: (operations, { zone }) => listTable(operations, OPERATION_COLUMNS, 'No operations.', zone),
  deliveries: (deliveries, { zone }) => listTable(deliveries, DELIVERY_COLUMNS, 'No deliveries.', zone),
});
