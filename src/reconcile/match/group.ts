/** Pairs the lines and operations that share a name. Pure, except that it sets the partner of each. */
import type { MatchKey } from '../finding.js';
import { FAILED } from './entries.js';
import {
  type Fitting,
  type Group,
  type GroupLine,
  type GroupOperation,
  isFree,
  isPaired,
  join,
  type Members,
  moneyOf,
  type Pair,
  agree,
} from './comparing.js';

interface GroupOutcome {
  readonly pairs: readonly Pair[];
  /** Lines and operations that repeat a pair: each with what it would have belonged to. */
  readonly repeatedLines: readonly Pair[];
  readonly repeatedOperations: readonly Pair[];
  readonly ambiguous: readonly Members[];
  /** What is left and names something that belongs to another one: each with that. */
  readonly besideLines: readonly Pair[];
  readonly besideOperations: readonly Pair[];
}

/** The first time round: only what is plain. Another name of a line may decide the rest. */
export function plainPairs(group: Group, by: MatchKey, fitting: Fitting): readonly Pair[] {
  const mayMean = meaningIn(group, by === 'id');
  const same = pairsOf(group, mayMean, fitting);
  const { couples } = bundlesOf(leftOf(group, repetitionsIn(group, mayMean, fitting)), mayMean);
  return [...same, ...join(couples)];
}

/** The last time round, after all names were tried. */
export function outcomeOf(group: Group, by: MatchKey, fitting: Fitting): GroupOutcome {
  const mayMean = meaningIn(group, by === 'id');
  const same = pairsOf(group, mayMean, fitting);
  const [repeatedLines, repeatedOperations] = repetitionsIn(group, mayMean, fitting);
  const left = leftOf(group, [repeatedLines, repeatedOperations]);
  const { couples, ambiguous } = bundlesOf(left, mayMean);
  join(couples);
  for (const { lines, operations } of ambiguous)
    for (const member of [...lines, ...operations]) member.partner = -1;
  return {
    ...{ pairs: [...same, ...couples], repeatedLines, repeatedOperations, ambiguous },
    ...besidesIn(left, group, mayMean),
  };
}

type Repetitions = readonly [lines: readonly Pair[], operations: readonly Pair[]];

/** Open members that are the same money as the other side of a pair. A failed operation repeats nothing: nothing was paid. */
function repetitionsIn(group: Group, mayMean: MayMean, { fit, isTolerant }: Fitting): Repetitions {
  const isSame: MayMean = (line, operation) => mayMean(line, operation) && fit(line, operation) !== null;
  const lineTaken = takenBy(group.lines.filter(isPaired), group.operations.length, isTolerant);
  const operationTaken = takenBy(group.operations.filter(isPaired), group.lines.length, isTolerant);
  return [
    group.lines.filter(isFree).flatMap((line) => {
      const its = operationTaken(line, (one) => isSame(line, one));
      return its === undefined ? [] : [[line, its] as const];
    }),
    group.operations.flatMap((one) => {
      if (!isFree(one) || one.status === FAILED) return [];
      const line = lineTaken(one, (each) => isSame(each, one));
      return line === undefined ? [] : [[line, one] as const];
    }),
  ];
}

/** Finds the first that fits among those that are taken, one of the very same money before another. */
function takenBy<Member extends GroupLine | GroupOperation>(
  taken: readonly Member[],
  asked: number,
  isTolerant: boolean,
): (of: GroupLine | GroupOperation, fits: (one: Member) => boolean) => Member | undefined {
  const equal = Map.groupBy(taken, moneyOf);
  const hasAll = isTolerant && taken.length * asked <= TOLERANCE_PAIRS_MAX;
  return (of, fits) => equal.get(moneyOf(of))?.find(fits) ?? (hasAll ? taken.find(fits) : undefined);
}

/** What is open and repeats nothing. */
function leftOf({ lines, operations }: Group, [repeated, repeatedThere]: Repetitions): Members {
  const isRepeated = new Set<GroupLine | GroupOperation>([
    ...repeated.map(([line]) => line),
    ...repeatedThere.map(([, operation]) => operation),
  ]);
  const isLeft = (one: GroupLine | GroupOperation): boolean => isFree(one) && !isRepeated.has(one);
  return { lines: lines.filter(isLeft), operations: operations.filter(isLeft) };
}

/** What may mean one another: a line and an operation that have nobody else, and all others. */
function bundlesOf(
  { lines, operations }: Members,
  mayMean: MayMean,
): { readonly couples: readonly Pair[]; readonly ambiguous: readonly Members[] } {
  const kinds = Map.groupBy(lines, ({ direction }) => direction);
  const itsKinds = Map.groupBy(operations, ({ direction, status }) => `${direction} ${status === FAILED}`);
  const firsts = (some: Iterable<[unknown, readonly GroupLine[]]>): GroupLine[] =>
    [...some].flatMap(([, members]) => members.slice(0, 1));
  const itsFirsts = [...itsKinds.values()].flatMap((members) => members.slice(0, 1));
  const bundles = componentsOf(firsts(kinds), itsFirsts, mayMean).map((bundle) => ({
    lines: lines.filter(({ direction }) => bundle.lines.some((one) => one.direction === direction)),
    operations: operations.filter((operation) =>
      bundle.operations.some(
        (one) =>
          one.direction === operation.direction && (one.status === FAILED) === (operation.status === FAILED),
      ),
    ),
  }));
  return {
    couples: bundles.flatMap((bundle) => {
      const [line, operation] = [bundle.lines[0], bundle.operations[0]];
      return isCouple(bundle) && line !== undefined && operation !== undefined
        ? [[line, operation] as const]
        : [];
    }),
    ambiguous: bundles.filter((bundle) => !isCouple(bundle)),
  };
}

function isCouple({ lines, operations }: Members): boolean {
  return lines.length === 1 && operations.length === 1;
}

function besidesIn(
  left: Members,
  group: Members,
  mayMean: MayMean,
): Pick<GroupOutcome, 'besideLines' | 'besideOperations'> {
  const [lines, operations] = [group.lines.filter(isPaired), group.operations.filter(isPaired)];
  return {
    besideLines: left.lines.filter(isFree).flatMap((line) => {
      const its = operations.find((one) => mayMean(line, one));
      return its === undefined ? [] : [[line, its] as const];
    }),
    besideOperations: left.operations.flatMap((one) => {
      const line =
        isFree(one) && one.status !== FAILED ? lines.find((each) => mayMean(each, one)) : undefined;
      return line === undefined ? [] : [[line, one] as const];
    }),
  };
}

/** Of more than so many pairs no tolerance is tried: thousands share the name, and most of them would be within it. */
const TOLERANCE_PAIRS_MAX = 65_536;

/** Whether an operation is one that the line may mean. */
type MayMean = (line: GroupLine, operation: GroupOperation) => boolean;

/**
 * A failed operation is meant only where nothing else is: a payment that failed and was made again is named by the reference of both. By
 * an id a line means its operation whatever its direction.
 */
function meaningIn({ live }: Group, isById: boolean): MayMean {
  return (line, operation) => {
    if (!isById && !agree(line, operation)) return false;
    if (operation.status !== FAILED) return true;
    return isById || line.direction > 1 ? live.size === 0 : !live.has(operation.direction);
  };
}

/** Pairs of the same money: exact ones first, then those within a tolerance. Where it isn't plain which, none. */
function pairsOf(group: Group, mayMean: MayMean, fitting: Fitting): Pair[] {
  const pairs: Pair[] = [];
  const take = (lines: readonly GroupLine[], operations: readonly GroupOperation[]): void => {
    pairs.push(...join(inOrder(lines, operations, fitting.days)));
  };
  const moneys = Map.groupBy(group.operations.filter(isFree), moneyOf);
  // Lines that say their direction come first: what they leave may decide the others.
  for (const isDirected of [true, false]) {
    const lines = group.lines.filter((line) => isFree(line) && line.direction < 2 === isDirected);
    for (const equal of Map.groupBy(lines, (line) => `${line.direction} ${moneyOf(line)}`).values()) {
      const meant = equal
        .slice(0, 1)
        .flatMap((line) =>
          (moneys.get(moneyOf(line)) ?? []).filter(
            (one) => isFree(one) && mayMean(line, one) && fitting.fit(line, one) !== null,
          ),
        );
      if (new Set(meant.map(({ direction }) => direction)).size === 1) take(equal, meant);
    }
  }
  if (fitting.isTolerant)
    for (const { lines, operations } of nearlySame(group, mayMean, fitting)) take(lines, operations);
  return pairs;
}

/** What is within a tolerance of one another, where all lines of it are equal and all operations are. */
function nearlySame(group: Group, mayMean: MayMean, { fit }: Fitting): Members[] {
  const [lines, operations] = [group.lines.filter(isFree), group.operations.filter(isFree)];
  if (lines.length * operations.length > TOLERANCE_PAIRS_MAX) return [];
  const together = componentsOf(
    lines,
    operations,
    (line, one) => mayMean(line, one) && fit(line, one) !== null,
  );
  return together.filter((one) => isUniform(one.lines) && isUniform(one.operations));
}

function isUniform(members: readonly (GroupLine | GroupOperation)[]): boolean {
  return new Set(members.map((one) => `${one.direction} ${moneyOf(one)}`)).size === 1;
}

/** Lines and operations as they hang together; what hangs together with nothing is left out. Both stand as they stood. */
function componentsOf(
  lines: readonly GroupLine[],
  operations: readonly GroupOperation[],
  belong: MayMean,
): Members[] {
  const near = new Map(lines.map((line) => [line, operations.filter((one) => belong(line, one))]));
  const seen = new Set<GroupLine | GroupOperation>();
  return lines.flatMap((first) => {
    if (seen.has(first)) return [];
    seen.add(first);
    const [some, its]: [GroupLine[], GroupOperation[]] = [[first], []];
    for (const line of some) {
      for (const one of (near.get(line) ?? []).filter((each) => !seen.has(each))) {
        seen.add(one);
        its.push(one);
        for (const other of lines) {
          if (seen.has(other) || !belong(other, one)) continue;
          seen.add(other);
          some.push(other);
        }
      }
    }
    if (its.length === 0) return [];
    return {
      lines: lines.filter((line) => some.includes(line)),
      operations: operations.filter((one) => its.includes(one)),
    };
  });
}

/** How far apart days are looked for one by one. */
const DAYS_MAX = 62;

/**
 * Equal lines and equal operations one to one, as many as there are of the fewer; both sides stand in their turn. Confirmed operations come
 * first, then pending ones; of each kind those with the bank reference of a line, those of its day and of the nearest ones within the
 * tolerance, then the rest as they stand.
 */
function inOrder(
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
