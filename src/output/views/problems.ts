/** The rows of a batch that were not paid, as a person reads them: which, how much, why, and what to do. */
import type { Column } from '../columns.js';
import type { Cell } from '../table.js';
import type { JsonValue } from '../value.js';
import { money, textAt, type Block } from './blocks.js';

const COLUMNS: readonly Column[] = [
  { header: 'Line', align: 'right', whole: true },
  { header: 'Reference' },
  { header: 'Amount', align: 'right', whole: true },
  { header: 'Reason', below: true },
  { header: 'What to do', below: true },
];

/** Nothing where all rows were paid, or may still be. */
export function viewProblems(summary: JsonValue): Block[] {
  const rows = (summary.members.get('problems')?.elements ?? []).map((row): Cell[] => [
    textAt(row, 'line'),
    textAt(row, 'reference'),
    { text: money(textAt(row, 'amount'), textAt(row, 'currency')), tone: 'strong' },
    textAt(row, 'reason'),
    textAt(row, 'advice'),
  ]);
  if (rows.length === 0) return [];
  const left = textAt(summary, 'problems_left');
  return [
    { block: 'heading', text: 'Failed and rejected rows' },
    { block: 'table', columns: COLUMNS, rows, empty: '' },
    ...(left === ''
      ? []
      : [{ block: 'command', lead: `${left} more`, text: textAt(summary, 'problems_command') } as const]),
    {
      block: 'note',
      text: 'Put corrected rows in a new file, with the same references, and send it as a new batch.',
    },
    { block: 'command', lead: 'Retry them as they are', text: textAt(summary, 'retry_command') },
  ];
}
