/** One of one side for several of the other, where their exact sum is it and no other set's is. Pure, and bounded. */
import { decimalsOf, unitsOf } from './fitting.js';

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

/** What covers something exactly and alone. Two that share anything would be a guess: then it is neither. */
export function coverings<Line extends SetCandidate, Operation extends SetCandidate>(
  lines: readonly Line[],
  operations: readonly Operation[],
  { toLine, toOperation }: Near<Line, Operation>,
): Covering[] {
  const found = [
    ...lines.flatMap((line) => onlySet(line, toLine(line)).map((set) => covering([line], set))),
    ...operations.flatMap((one) => onlySet(one, toOperation(one)).map((set) => covering(set, [one]))),
  ];
  const different = [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
  const uses = { lines: new Map<number, number>(), operations: new Map<number, number>() };
  for (const side of ['lines', 'operations'] as const)
    for (const row of different.flatMap((one) => one[side]))
      uses[side].set(row, (uses[side].get(row) ?? 0) + 1);
  const isAlone = (side: 'lines' | 'operations', one: Covering): boolean =>
    one[side].every((row) => uses[side].get(row) === 1);
  return different.filter((one) => isAlone('lines', one) && isAlone('operations', one));
}

function covering(lines: readonly SetCandidate[], operations: readonly SetCandidate[]): Covering {
  const rowsOf = (some: readonly SetCandidate[]): number[] =>
    some.map(({ row }) => row).sort((a, b) => a - b);
  return { lines: rowsOf(lines), operations: rowsOf(operations) };
}

/** The set whose sum is the amount, where there is one and no second one; what is nothing belongs to any set, and so to none. */
function onlySet<Member extends SetCandidate>(
  { currency, amount }: SetCandidate,
  all: readonly Member[],
): [] | [Member[]] {
  const some = all.filter((one) => one.currency === currency && one.amount !== null && one.amount !== '0');
  if (currency === null || amount === null || amount === '0' || some.length > CANDIDATES_MAX) return [];
  const amounts = some.map((one) => one.amount ?? '0');
  const scale = Math.max(...[amount, ...amounts].map(decimalsOf));
  const units = amounts.map((one) => unitsOf(one, scale));
  const found: Member[][] = [];
  const search = (at: number, left: bigint, taken: readonly Member[]): void => {
    if (found.length > 1 || left < 0n) return;
    if (left === 0n) {
      found.push([...taken]);
      return;
    }
    some.slice(at).forEach((one, index) => {
      search(at + index + 1, left - (units[at + index] ?? 0n), [...taken, one]);
    });
  };
  search(0, unitsOf(amount, scale), []);
  const [set, second] = found;
  return set === undefined || second !== undefined ? [] : [set];
}
