/** The rows of a batch, as a person reads them: which, how much, how it stands, why, and its operation. */
import type { Column } from '../columns.js';
import { idCells } from '../short-ids.js';
import type { Mark } from '../style.js';
import type { Cell } from '../table.js';
import { renderTime } from '../time.js';
import { money, textAt, valueUnder } from './blocks.js';
import type { OwnListView } from './own-list.js';

const COLUMNS: readonly Column[] = [
  { header: 'Line', align: 'right', whole: true },
  { header: 'State', whole: true },
  { header: 'Reference' },
  { header: 'Amount', align: 'right', whole: true },
  { header: 'Operation', whole: true, below: 'together' },
  { header: 'Code', below: 'together' },
  { header: 'Detail', below: 'together' },
  { header: 'Sent', whole: true, optional: true },
  { header: 'Operation created', whole: true, optional: true },
  { header: 'Key', whole: true, optional: true },
];

const MARKS: Readonly<Record<string, Mark>> = {
  confirmed: 'good',
  failed: 'bad',
  rejected: 'bad',
  intent: 'bad',
  unknown: 'bad',
  needs_review: 'bad',
};

/** What is stored, in the words of the summary. */
const WORDS: Readonly<Record<string, string>> = { accepted: 'pending', planned: 'not sent' };

export const viewRows: OwnListView = (rows, { zone }) => {
  const ids = idCells(rows.map((row) => textAt(row, 'operation_id')));
  const cells = rows.map((row, at): Cell[] => {
    const state = textAt(row, 'state');
    return [
      textAt(row, 'line'),
      {
        text: valueUnder(WORDS, state) ?? state.replaceAll('_', ' '),
        mark: valueUnder(MARKS, state) ?? 'waiting',
      },
      textAt(row, 'reference'),
      { text: money(textAt(row, 'amount'), textAt(row, 'currency')), tone: 'strong' },
      ids[at] ?? '',
      textAt(row, 'code'),
      textAt(row, 'detail'),
      renderTime(textAt(row, 'sent_at'), zone),
      renderTime(textAt(row, 'operation_created_at'), zone),
      textAt(row, 'idempotency_key'),
    ];
  });
  return { block: 'table', columns: COLUMNS, rows: cells, empty: 'No rows.' };
};
