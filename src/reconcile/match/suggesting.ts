/** Suggests entries that may belong together among those on one side only: few, and of the same days. Never more than a suggestion. */
import type { WorkFile } from '../../runtime/work-file.js';
import { FINDING_CLASSES } from '../finding.js';
import type { LineDefaults } from './name-groups.js';
import { DAYS_MAX } from './group.js';
import { type SetCandidate, CANDIDATES_MAX, coverings } from './exact-sums.js';

/** Of more of them all together none is looked for. */
const LOOKED_AT_MAX = 10_000;

interface Alone extends SetCandidate {
  readonly finding: number;
  readonly direction: number | null;
  readonly day: number | null;
}

type Place = Pick<Alone, 'currency' | 'day'>;

const ONLY_HERE = FINDING_CLASSES.indexOf('only_here');
const ONLY_THERE = FINDING_CLASSES.indexOf('only_there');
/** The currency of a line that names none is the first value. */
const LINES = `SELECT f.row AS finding, h.row, coalesce(h.direction, CASE WHEN ? THEN h.sign END) AS direction,
  coalesce(h.currency, ?) AS currency, h.amount, h.day AS day
  FROM finding f JOIN here h ON h.row = f.here WHERE f.class = ${ONLY_HERE} AND h.amount <> '0'`;
const OPERATIONS = `SELECT f.row AS finding, t.row, t.direction, t.currency AS currency, t.amount, t.day AS day
  FROM finding f JOIN there t ON t.row = f.there WHERE f.class = ${ONLY_THERE} AND t.amount <> '0' AND t.currency IS NOT NULL`;

type Row = readonly [
  finding: number,
  row: number,
  direction: number | null,
  currency: string,
  amount: string,
  day: number | null,
];

/** Finds it and writes it beside the findings that it is of. */
export function suggestAlone(file: WorkFile, { currency, hasNegatives }: LineDefaults, days: number): void {
  const window = Math.min(days, DAYS_MAX);
  const sides = [
    { sql: LINES, values: [hasNegatives ? 1 : 0, currency] },
    { sql: OPERATIONS, values: [] },
  ] as const;
  const counts = sides.map((side) => countsIn(file, side));
  const isFew = fewOf(counts, window);
  if (!counts.flatMap(placesOf).some(isFew)) return;
  /** What may belong to something of which there is little is needed, however much there is of itself. */
  const isNear = ({ currency: of, day }: Place): boolean =>
    day === null || daysAround(day, window).some((one) => isFew({ currency: of, day: one }));
  const [lines = [], operations = []] = sides.map((side) => aloneIn(file, side, isNear));
  if (lines.length + operations.length > LOOKED_AT_MAX) return;
  const near = { toLine: nearOf(operations, window), toOperation: nearOf(lines, window) };
  for (const found of coverings(lines.filter(isFew), operations.filter(isFew), near)) {
    const text = JSON.stringify([found.lines, found.operations]);
    const [some, its] = [new Set(found.lines), new Set(found.operations)];
    for (const { finding } of [
      ...lines.filter(({ row }) => some.has(row)),
      ...operations.filter(({ row }) => its.has(row)),
    ])
      file.run('UPDATE finding SET suggestion = ? WHERE row = ?', text, finding);
  }
}

/** Whether there is some on both sides within the days, and little of it. */
function fewOf(counts: readonly Counts[], window: number): (place: Place) => boolean {
  const known = new Map<string, boolean>();
  return ({ currency, day }) => {
    const key = `${day} ${currency}`;
    const isFew =
      known.get(key) ??
      counts.every((each) => {
        const count = countAround(each, { currency, day }, window);
        return count > 0 && count <= CANDIDATES_MAX;
      });
    known.set(key, isFew);
    return isFew;
  };
}

function daysAround(day: number, window: number): number[] {
  return Array.from({ length: 2 * window + 1 }, (_, index) => day - window + index);
}

interface Asked {
  readonly sql: string;
  readonly values: readonly (string | number | null)[];
}

/** How many there are of each day in each currency. */
type Counts = ReadonlyMap<string | null, ReadonlyMap<number | null, number>>;

function countsIn(file: WorkFile, { sql, values }: Asked): Counts {
  const counts = new Map<string | null, Map<number | null, number>>();
  const grouped = `SELECT currency, day, count(*) FROM (${sql}) GROUP BY currency, day`;
  for (const [currency, day, count] of file
    .query<readonly [string | null, number | null, number]>(grouped)
    .iterate(...values)) {
    const days = counts.get(currency) ?? new Map<number | null, number>();
    counts.set(currency, days.set(day, count));
  }
  return counts;
}

function placesOf(counts: Counts): Place[] {
  return [...counts].flatMap(([currency, days]) => [...days.keys()].map((day) => ({ currency, day })));
}

/** What has no day may be of any. */
function countAround(counts: Counts, { currency, day }: Place, window: number): number {
  const days = counts.get(currency) ?? new Map<number | null, number>();
  if (day === null) return [...days.values()].reduce((sum, count) => sum + count, 0);
  return [null, ...daysAround(day, window)].reduce<number>((sum, one) => sum + (days.get(one) ?? 0), 0);
}

function aloneIn(file: WorkFile, { sql, values }: Asked, isLooked: (one: Alone) => boolean): Alone[] {
  const found: Alone[] = [];
  for (const [finding, row, direction, currency, amount, day] of file.query<Row>(sql).iterate(...values)) {
    const one = { finding, row, direction, currency, amount, day };
    if (isLooked(one)) found.push(one);
    if (found.length > LOOKED_AT_MAX) break;
  }
  return found;
}

/** Those of the other side that are of the same days, and go the same way where both say it. */
function nearOf(others: readonly Alone[], window: number): (one: Alone) => readonly Alone[] {
  const byDay = Map.groupBy(others, ({ day }) => day);
  const days = [...byDay.keys()];
  return ({ day, currency, direction }) => {
    const near = days.filter((other) => day === null || other === null || Math.abs(other - day) <= window);
    return near
      .flatMap((other) => byDay.get(other) ?? [])
      .filter(
        (other) =>
          other.currency === currency &&
          (direction === null || other.direction === null || other.direction === direction),
      );
  };
}
