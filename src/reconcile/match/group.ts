/** What comes of lines and operations that share a name. Pure, but for the partner that each of them gets. */
import type { MatchKey } from '../finding.js';
import { FAILED } from './entries.js';
import type { Fitting } from './fitting.js';
import {
  type Group,
  type GroupLine,
  type GroupOperation,
  isFree,
  isPaired,
  join,
  type Members,
  moneyOf,
  type Pair,
} from './member.js';
import { componentsOf, type MayMean, meaningIn, pairsOf, TOLERANCE_PAIRS_MAX } from './pairing.js';

export interface GroupOutcome {
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
