/** Which of several equal lines belongs to which of several equal operations. Pure. */
import type { GroupLine, GroupOperation, Pair } from './member.js';

/** How far apart days are looked for one by one. */
export const DAYS_MAX = 62;

/**
 * Equal lines and equal operations one to one, as many as there are of the fewer; both sides stand in their turn. Confirmed operations come
 * first, then pending ones; of each kind those with the bank reference of a line, those of its day and of the nearest ones within the
 * tolerance, then the rest as they stand.
 */
export function inOrder(
  lines: readonly GroupLine[],
  operations: readonly GroupOperation[],
  days: number,
): readonly Pair[] {
  const [line, operation] = [lines[0], operations[0]];
  if (line === undefined || operation === undefined) return [];
  if (lines.length === 1 && operations.length === 1) return [[line, operation]];
  const pairs: Pair[] = [];
  let left = lines;
  for (const some of Map.groupBy(operations, ({ status }) => status).values()) {
    let rest: readonly GroupOperation[] = some;
    const pair = (nameOf: NameOf<GroupLine>, itsNameOf: NameOf<GroupOperation>): void => {
      const found = namesakes(left, rest, nameOf, itsNameOf);
      const taken = new Set<GroupLine | GroupOperation>(found.flat());
      left = left.filter((one) => !taken.has(one));
      rest = rest.filter((one) => !taken.has(one));
      pairs.push(...found);
    };
    pair(bankOf, bankOf);
    for (let off = 0; off <= Math.min(days, DAYS_MAX) && left.length > 0 && rest.length > 0; off += 1)
      for (const shift of off === 0 ? [0] : [-off, off]) pair(dayOf(shift), dayOf(0));
    pair(sameOf, sameOf);
  }
  return pairs;
}

type NameOf<Member> = (member: Member) => string | number | null;

const bankOf: NameOf<GroupLine | GroupOperation> = ({ bank }) => bank;
const sameOf: NameOf<GroupLine | GroupOperation> = () => 0;

function dayOf(shift: number): NameOf<GroupLine | GroupOperation> {
  return ({ day }) => (day === null ? null : day + shift);
}

/** The first of each name with the first of the same name, and so on; what has none with nothing. */
function namesakes(
  lines: readonly GroupLine[],
  operations: readonly GroupOperation[],
  nameOf: NameOf<GroupLine>,
  itsNameOf: NameOf<GroupOperation>,
): Pair[] {
  const waiting = Map.groupBy(lines, nameOf);
  const next = new Map<string | number, number>();
  return operations.flatMap((operation) => {
    const name = itsNameOf(operation);
    if (name === null) return [];
    const at = next.get(name) ?? 0;
    const line = waiting.get(name)?.[at];
    next.set(name, at + 1);
    return line === undefined ? [] : [[line, operation] as const];
  });
}
