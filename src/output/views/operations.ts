/** The operations that are known here, as a person reads them: when, what, how it stands, and from where that is known. */
import type { Column } from '../columns.js';
import type { Cell } from '../table.js';
import { renderTime } from '../time.js';
import type { JsonValue } from '../value.js';
import { environmentCell, money, textAt } from './blocks.js';
import { STATUS_MARKS } from './operation.js';
import type { OwnListView } from './own-list.js';

/** What has to be copied, or may be long, stands beneath its row where there is no room. */
const COLUMNS: readonly Column[] = [
  { header: 'Env', whole: true },
  { header: 'At', whole: true },
  { header: 'Type', whole: true },
  { header: 'Status', whole: true },
  { header: 'Amount', align: 'right', whole: true },
  { header: 'Id', whole: true, below: true },
  { header: 'Reference', below: true },
  { header: 'Known from', below: true },
  { header: 'Bank reference', below: true },
  { header: 'Method', whole: true, optional: true },
  { header: 'Why', optional: true },
];

export const viewOperations: OwnListView = (operations, { zone }) => ({
  block: 'table',
  columns: COLUMNS,
  rows: operations.map((operation): Cell[] => {
    const status = textAt(operation, 'status');
    const mark = Object.hasOwn(STATUS_MARKS, status) ? STATUS_MARKS[status] : undefined;
    return [
      environmentCell(operation),
      renderTime(timeOf(operation), zone),
      textAt(operation, 'type'),
      mark === undefined ? status : { text: status, mark },
      { text: money(textAt(operation, 'amount'), textAt(operation, 'currency')), tone: 'strong' },
      textAt(operation, 'id'),
      textAt(operation, 'reference'),
      whereFrom(operation),
      textAt(operation, 'bank_reference'),
      textAt(operation, 'method'),
      ['code', 'failure_reason']
        .map((name) => textAt(operation, name))
        .filter((text) => text !== '')
        .join(', '),
    ];
  }),
  empty: 'No operations.',
});

/** When it became final, else when it was made. */
function timeOf(operation: JsonValue): string {
  const times = ['occurred_at', 'confirmed_at', 'created_at'].map((name) => textAt(operation, name));
  return times.find((time) => time !== '') ?? '';
}

/** A row of a batch has a key too, which its line stands for. */
function whereFrom(operation: JsonValue): string {
  const [source, batch, line, key] = ['source', 'batch', 'line', 'idempotency_key'].map((name) =>
    textAt(operation, name),
  ) as [string, string, string, string];
  const made =
    batch !== '' ? `batch ${batch} line ${line}` : key !== '' ? `a single create with the key ${key}` : '';
  const told = source === 'feed' ? 'the events' : source === 'service' ? 'the service' : '';
  return [told, made].filter((text) => text !== '').join(', ');
}
