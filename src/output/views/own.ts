/** The lists that svc itself keeps or makes, as a person reads them: batches, requests of unknown outcome, the life of an operation. */
import type { Cell } from '../table.js';
import {
  AMOUNT_COLUMN,
  environmentCell,
  labelFor,
  type ListColumn,
  listTable,
  type OwnListView,
  textAt,
} from './blocks.js';
import type { JsonValue } from '../value.js';
import { approversOf, BATCH_MARKS, viewRows } from './batch.js';
import { leadingPairs, viewOperations } from './operation.js';
import { listsIn } from './own-list.js';
import { viewFindings, viewSums } from './reconciliation.js';

/** What became of rows is never left out; a word that no batch has rows of has no column. */
const BATCH_COLUMNS: readonly ListColumn[] = [
  { header: 'Env', whole: true, of: environmentCell },
  { header: 'Batch', whole: true, of: (batch) => ({ text: textAt(batch, 'batch'), tone: 'strong' }) },
  { header: 'Rows', align: 'right', whole: true, of: 'rows' },
  ...Object.entries(BATCH_MARKS).map(([name, mark]): ListColumn => ({
    ...{ header: labelFor(name), align: 'right', whole: true },
    of: (batch) => {
      const count = textAt(batch, name);
      return count === '' || count === '0' ? '' : { text: count, mark };
    },
  })),
  { header: 'Created', whole: true, optional: true, of: 'created_at' },
  { header: 'Type', whole: true, optional: true, of: 'type' },
  { header: 'Plan', whole: true, optional: true, of: (batch) => textAt(batch, 'plan', 'digest') },
  {
    ...{ header: 'Approved by', whole: true, optional: true },
    // Empty for one of a file.
    of: ({ members }) => {
      const plan = members.get('plan');
      return plan === undefined ? '' : approversOf(plan);
    },
  },
  { header: 'Address', whole: true, optional: true, of: 'address' },
];

const viewBatches: OwnListView = (batches, { zone }) =>
  listTable(batches, BATCH_COLUMNS, 'No batches.', zone);

const REQUEST_COLUMNS: readonly ListColumn[] = [
  { header: 'Env', whole: true, of: environmentCell },
  { header: 'Sent', whole: true, of: 'created_at' },
  { header: 'Endpoint', whole: true, of: 'endpoint' },
  AMOUNT_COLUMN,
  { header: 'Repeatable', whole: true, of: repeatableCell },
  { header: 'Key', whole: true, below: true, of: 'idempotency_key' },
  { header: 'Reference', below: true, of: 'reference' },
  { header: 'Method', whole: true, optional: true, of: 'method' },
  { header: 'API key', whole: true, optional: true, of: 'api_key' },
  { header: 'Address', whole: true, optional: true, of: 'address' },
  { header: 'Machine', whole: true, optional: true, of: 'sent_by' },
];

/** Where machines share a journal, one of them may be waiting for its answer. */
function repeatableCell(request: JsonValue): Cell {
  if (textAt(request, 'under_way_until') !== '')
    return { text: `may still be in progress on ${textAt(request, 'sent_by')}`, mark: 'waiting' };
  return textAt(request, 'repeatable') === 'true'
    ? { text: 'yes', mark: 'waiting' }
    : { text: 'no: a person decides', mark: 'bad' };
}

const viewRequests: OwnListView = (requests, { zone }) =>
  listTable(requests, REQUEST_COLUMNS, 'No requests without an answer.', zone);

const MOMENT_COLUMNS: readonly ListColumn[] = [
  { header: 'At', whole: true, of: 'at' },
  { header: 'What', whole: true, of: 'what' },
  {
    ...{ header: 'Outcome', whole: true },
    // A state, the type of an event, or the status that a receiver answered with; anything else is why it did not answer.
    of: (moment) => {
      const outcome = textAt(moment, 'outcome');
      const isGood = /^(2\d\d|created|(.*[.])?confirmed)$/.test(outcome);
      return { text: outcome, mark: isGood ? 'good' : outcome === 'pending' ? 'waiting' : 'bad' };
    },
  },
  { header: 'Detail', whole: true, below: true, of: 'detail' },
];

const viewTimeline: OwnListView = (moments, reader, body) => {
  const table = listTable(moments, MOMENT_COLUMNS, 'Nothing happened.', reader.zone);
  const operation = body.members.get('operation');
  if (operation?.kind !== 'object') return table;
  return [{ block: 'detail', pairs: leadingPairs(operation, reader) }, table];
};

export const renderOwnList = listsIn({
  batches: viewBatches,
  operations: viewOperations,
  requests: viewRequests,
  rows: viewRows,
  timeline: viewTimeline,
  findings: viewFindings,
  sums: viewSums,
});
