/** The lists that svc itself keeps or makes, as a person reads them: batches, requests of unknown outcome, the life of an operation. */
import type { Column } from '../columns.js';
import type { Mark } from '../style.js';
import type { Cell } from '../table.js';
import { renderTime } from '../time.js';
import { labelFor } from '../label.js';
import type { JsonValue } from '../value.js';
import { BATCH_MARKS } from './batch.js';
import { type Block, environmentCell, money, textAt } from './blocks.js';
import { leadingPairs } from './operation.js';
import { viewOperations } from './operations.js';
import { listsIn, type OwnListView } from './own-list.js';
import { viewFindings, viewSums } from './reconciliation.js';
import { viewRows } from './rows.js';

/** What became of rows is never left out; a word that no batch has rows of has no column. */
const BATCH_COLUMNS: readonly Column[] = [
  { header: 'Env', whole: true },
  { header: 'Batch', whole: true },
  { header: 'Rows', align: 'right', whole: true },
  ...Object.keys(BATCH_MARKS).map((name): Column => ({
    header: labelFor(name),
    align: 'right',
    whole: true,
  })),
  { header: 'Created', whole: true, optional: true },
  { header: 'Type', whole: true, optional: true },
  { header: 'Address', whole: true, optional: true },
];

const viewBatches: OwnListView = (batches, { zone }) => ({
  block: 'table',
  columns: BATCH_COLUMNS,
  rows: batches.map((batch) => [
    environmentCell(batch),
    { text: textAt(batch, 'batch'), tone: 'strong' },
    textAt(batch, 'rows'),
    ...Object.entries(BATCH_MARKS).map(([name, mark]) => countCell(textAt(batch, name), mark)),
    renderTime(textAt(batch, 'created_at'), zone),
    textAt(batch, 'type'),
    textAt(batch, 'address'),
  ]),
  empty: 'No batches.',
});

function countCell(count: string, mark: Mark): Cell {
  return count === '' || count === '0' ? '' : { text: count, mark };
}

const REQUEST_COLUMNS: readonly Column[] = [
  { header: 'Env', whole: true },
  { header: 'Sent', whole: true },
  { header: 'Endpoint', whole: true },
  { header: 'Amount', align: 'right', whole: true },
  { header: 'Repeatable', whole: true },
  { header: 'Key', whole: true, below: true },
  { header: 'Reference', below: true },
  { header: 'Method', whole: true, optional: true },
  { header: 'API key', whole: true, optional: true },
  { header: 'Address', whole: true, optional: true },
  { header: 'Machine', whole: true, optional: true },
];

/** Where machines share their book, one of them may be waiting for its answer. */
function repeatableCell(request: JsonValue): Cell {
  if (textAt(request, 'under_way_until') !== '')
    return { text: `may still be in progress on ${textAt(request, 'sent_by')}`, mark: 'waiting' };
  return textAt(request, 'repeatable') === 'true'
    ? { text: 'yes', mark: 'waiting' }
    : { text: 'no: a person decides', mark: 'bad' };
}

const viewRequests: OwnListView = (requests, { zone }) => ({
  block: 'table',
  columns: REQUEST_COLUMNS,
  rows: requests.map((request): Cell[] => [
    environmentCell(request),
    renderTime(textAt(request, 'created_at'), zone),
    textAt(request, 'endpoint'),
    { text: money(textAt(request, 'amount'), textAt(request, 'currency')), tone: 'strong' },
    repeatableCell(request),
    textAt(request, 'idempotency_key'),
    textAt(request, 'reference'),
    textAt(request, 'method'),
    textAt(request, 'api_key'),
    textAt(request, 'address'),
    textAt(request, 'sent_by'),
  ]),
  empty: 'No requests without an answer.',
});

const MOMENT_COLUMNS: readonly Column[] = [
  { header: 'At', whole: true },
  { header: 'What', whole: true },
  { header: 'Outcome', whole: true },
  { header: 'Detail', whole: true, below: true },
];

const viewTimeline: OwnListView = (moments, reader, body) => {
  const rows = moments.map((moment): Cell[] => [
    renderTime(textAt(moment, 'at'), reader.zone),
    textAt(moment, 'what'),
    { text: textAt(moment, 'outcome'), mark: markOf(textAt(moment, 'outcome')) },
    textAt(moment, 'detail'),
  ]);
  const table: Block = { block: 'table', columns: MOMENT_COLUMNS, rows, empty: 'Nothing happened.' };
  const operation = body.members.get('operation');
  if (operation?.kind !== 'object') return table;
  return [{ block: 'detail', pairs: leadingPairs(operation, reader) }, table];
};

/** A state, the type of an event, or the status that a receiver answered with; anything else is why it did not answer. */
function markOf(outcome: string): Mark {
  if (/^(2\d\d|created|(.*[.])?confirmed)$/.test(outcome)) return 'good';
  return outcome === 'pending' ? 'waiting' : 'bad';
}

export const renderOwnList = listsIn({
  batches: viewBatches,
  operations: viewOperations,
  requests: viewRequests,
  rows: viewRows,
  timeline: viewTimeline,
  findings: viewFindings,
  sums: viewSums,
});
