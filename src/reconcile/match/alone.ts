/** What belongs to nothing: lines and operations that nothing names, and those whose name too many share. */
import type { WorkFile } from '../../runtime/work-file.js';
import type { MatchKey } from '../finding.js';
import { FAILED, PENDING } from './entries.js';
import type { LineDefaults, Met } from './gathered.js';
import type { Made, Placed, Recording } from './recording.js';
import type { MatchStanding } from './standing.js';
import type { Side } from './tally.js';

interface Alone {
  readonly file: WorkFile;
  readonly standing: MatchStanding;
  readonly recording: Recording;
  readonly defaults: LineDefaults;
}

type Row = readonly [
  row: number,
  status: number,
  currency: string | null,
  amount: string | null,
  day: number | null,
  besideLine: number | null,
  besideOperation: number | null,
];

const COLUMNS: Readonly<Record<Side, string>> = {
  here: 'e.row, 0, e.currency, e.amount, e.day',
  there: 'e.row, e.status, e.currency, e.amount, e.day',
};

/** Each is a finding of its own: all that share the name might be meant, and together they might be the whole file. */
export function placeCrowd(
  alone: Alone,
  { lines, operations }: Extract<Met, { kind: 'crowd' }>,
  by: MatchKey,
): void {
  for (const [side, rows] of [
    ['here', lines],
    ['there', operations],
  ] as const) {
    for (const number of rows) {
      const row = alone.file.query<Row>(`SELECT ${COLUMNS[side]} FROM ${side} e WHERE row = ?`).get(number);
      if (row === undefined) throw new Error('a row of the work file is gone');
      // A failed operation that nobody means alone is in no class.
      if (row[1] !== FAILED) alone.recording.place(made(alone, side, row, { class: 'ambiguous', by }));
    }
  }
}

/** All that is still open. */
export function* settleAlone(alone: Alone): Generator<null> {
  const { file, standing, recording } = alone;
  for (const side of ['here', 'there'] as const) {
    if (standing.open(side) === 0) continue;
    const sql = `SELECT ${COLUMNS[side]}, n.here, n.there FROM ${side} e LEFT JOIN note n ON n.side = ? AND n.row = e.row`;
    let count = 0;
    for (const row of file.query<Row>(sql).iterate(side === 'here' ? 1 : 0)) {
      count += 1;
      if (count % 20_000 === 0) yield null;
      if (standing.partner(side, row[0]) !== 0) continue;
      if (row[1] === FAILED) recording.leaveOut(placed(alone, side, row));
      else recording.place(made(alone, side, row, { class: classOf(side, row[1]), by: null }));
    }
  }
}

/** No money has moved of what is pending: that it is in no ledger yet is no difference. */
function classOf(side: Side, status: number): Made['class'] {
  if (side === 'here') return 'only_here';
  return status === PENDING ? 'pending' : 'only_there';
}

function made(alone: Alone, side: Side, row: Row, about: Pick<Made, 'class' | 'by'>): Made {
  const [members, besideLine, besideOperation] = [[placed(alone, side, row)], row[5], row[6]];
  const isNoted = typeof besideLine === 'number' && typeof besideOperation === 'number';
  return {
    ...about,
    lines: side === 'here' ? members : [],
    operations: side === 'there' ? members : [],
    beside: isNoted ? [besideLine, besideOperation] : undefined,
  };
}

function placed({ defaults }: Alone, side: Side, [row, , currency, amount, day]: Row): Placed {
  return { row, currency: side === 'here' ? (currency ?? defaults.currency) : currency, amount, day };
}
