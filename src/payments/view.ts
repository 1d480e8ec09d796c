import type { Cell } from '../output/table.js';
import {
  AMOUNT_COLUMN,
  environmentCell,
  type ListColumn,
  listTable,
  type OwnListView,
  textAt,
} from '../output/views/blocks.js';
import type { JsonValue } from '../output/value.js';
import { leadingPairs, viewOperations } from '../output/views/operation.js';
import { listRenderer } from '../output/views/own-list.js';

const REQUEST_COLUMNS: readonly ListColumn[] = [
  { header: 'Env', whole: true, content: environmentCell },
  { header: 'Sent', whole: true, content: 'created_at' },
  { header: 'Endpoint', whole: true, content: 'endpoint' },
  AMOUNT_COLUMN,
  { header: 'Repeatable', whole: true, content: repeatableCell },
  { header: 'Key', whole: true, below: true, content: 'idempotency_key' },
  { header: 'Reference', below: true, content: 'reference' },
  { header: 'Method', whole: true, optional: true, content: 'method' },
  { header: 'API key', whole: true, optional: true, content: 'api_key' },
  { header: 'Address', whole: true, optional: true, content: 'address' },
  { header: 'Machine', whole: true, optional: true, content: 'sent_by' },
];

function repeatableCell(request: JsonValue): Cell {
  if (textAt(request, 'under_way_until') !== '')
    return { text: `may still be in progress on ${textAt(request, 'sent_by')}`, mark: 'waiting' };
  return textAt(request, 'repeatable') === 'true'
    ? { text: 'yes', mark: 'waiting' }
    : { text: 'no: a person decides', mark: 'bad' };
}

const ENTRY_COLUMNS: readonly ListColumn[] = [
  { header: 'At', whole: true, content: 'at' },
  { header: 'What', whole: true, content: 'what' },
  {
    ...{ header: 'Outcome', whole: true },
    content: (entry) => {
      const outcome = textAt(entry, 'outcome');
      const isGood = /^(2\d\d|created|(.*[.])?confirmed)$/.test(outcome);
      return { text: outcome, mark: isGood ? 'good' : outcome === 'pending' ? 'waiting' : 'bad' };
    },
  },
  { header: 'Detail', whole: true, below: true, content: 'detail' },
];

const viewTimeline: OwnListView = (entries, reader, body) => {
  const table = listTable(entries, ENTRY_COLUMNS, 'Nothing happened.', reader.zone);
  const operation = body.members.get('operation');
  if (operation?.kind !== 'object') return table;
  return [{ block: 'detail', pairs: leadingPairs(operation, reader) }, table];
};

export const renderPaymentList = listRenderer({
  operations: viewOperations,
  requests: (requests, { zone }) =>
    listTable(requests, REQUEST_COLUMNS, 'No requests without an answer.', zone),
  timeline: viewTimeline,
});
