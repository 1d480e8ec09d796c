/** Finds several entries of one side whose exact sum is one entry of the other, where no second set fits. Pure, and bounded. */
import { decimalsOf, unitsOf } from './comparing.js';

/** Among more candidates no set is looked for: there would be thousands of sums, and one of them would fit by chance. */
export const CANDIDATES_MAX = 12;

export interface SetCandidate {
  readonly row: number;
  readonly currency: string | null;
  readonly amount: string | null;
}

/** Rows of one side and rows of the other: of one of them there is one. */
export interface Covering {
  readonly lines: readonly number[];
  readonly operations: readonly number[];
}

/** What may belong to a line, and to an operation. */
export interface Near<Line extends SetCandidate, Operation extends SetCandidate> {
  readonly toLine: (line: Line) => readonly Operation[];
  readonly toOperation: (operation: Operation) => readonly Line[];
}

/** What covers something exactly and alone. Where two sets fit, or two that share anything, it would be a guess: then it is neither. */
export function coverings<Line extends SetCandidate, Operation extends SetCandidate>(
  lines: readonly Line[],
  operations: readonly Operation[],
  { toLine, toOperation }: Near<Line, Operation>,
): Covering[] {
  const alone = new Map<string, Covering>();
  const uses: readonly Map<number, Set<string>>[] = [new Map(), new Map()];
  const use = (name: string, rows: readonly (readonly number[])[]): void => {
    for (const [side, used] of uses.entries())
      for (const row of rows[side] ?? []) used.set(row, (used.get(row) ?? new Set()).add(name));
  };
  const learn = (
    sides: readonly [readonly SetCandidate[], readonly SetCandidate[]],
    isOnly: boolean,
  ): void => {
    const [some, its] = [rowsOf(sides[0]), rowsOf(sides[1])];
    const name = JSON.stringify([some, its]);
    use(name, [some, its]);
    if (isOnly) alone.set(name, { lines: some, operations: its });
    // As good as a second one.
    else use(`more than ${name}`, [some, its]);
  };
  for (const line of lines) {
    const { fitting, count } = setsOf(line, toLine(line));
    if (count > 0) learn([[line], fitting], count === 1);
  }
  for (const operation of operations) {
    const { fitting, count } = setsOf(operation, toOperation(operation));
    if (count > 0) learn([fitting, [operation]], count === 1);
  }
  const isAlone = (rows: readonly number[], side: number): boolean =>
    rows.every((row) => uses[side]?.get(row)?.size === 1);
  return [...alone.values()].filter((one) => isAlone(one.lines, 0) && isAlone(one.operations, 1));
}

function rowsOf(some: readonly SetCandidate[]): number[] {
  return some.map(({ row }) => row).sort((a, b) => a - b);
}

/** How many sets have exactly the amount, and all that stands in any of them. What is nothing belongs to any set, and so to none. */
function setsOf<Member extends SetCandidate>(
  { currency, amount }: SetCandidate,
  all: readonly Member[],
): { readonly fitting: readonly Member[]; readonly count: number } {
  const some = all.filter((one) => one.currency === currency && one.amount !== null && one.amount !== '0');
  if (currency === null || amount === null || amount === '0' || some.length > CANDIDATES_MAX)
    return { fitting: [], count: 0 };
  const amounts = some.map((one) => one.amount ?? '0');
  const scale = Math.max(...[amount, ...amounts].map(decimalsOf));
  const units = amounts.map((one) => unitsOf(one, scale));
  const fitting = new Set<Member>();
  let count = 0;
  const search = (from: number, left: bigint, taken: readonly Member[]): void => {
    if (left === 0n) {
      count += 1;
      for (const one of taken) fitting.add(one);
    }
    if (left <= 0n) return;
    for (const [index, one] of some.entries())
      if (index >= from) search(index + 1, left - (units[index] ?? 0n), [...taken, one]);
  };
  search(0, unitsOf(amount, scale), []);
  return { fitting: [...fitting], count };
}
