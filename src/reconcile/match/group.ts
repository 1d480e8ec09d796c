import type { MatchKey } from '../finding.js';
import { FAILED } from './entries.js';
import { isFree, isPaired, setPartners, moneyOf, directionsAgree } from './compare.js';
import type { FitRules, Group, GroupLine, GroupOperation, Members, Pair } from './compare.js';

/** Returns only clear pairs, because another key may pair the other lines. */
export function clearPairs(group: Group, by: MatchKey, fitRules: FitRules): readonly Pair[] {
  const mayMatch = matchTest(group, by === 'id');
  const samePairs = pairSameMoney(group, mayMatch, fitRules);
  const { couples } = bundlesOf(unmatchedIn(group, repetitionsIn(group, mayMatch, fitRules)), mayMatch);
  return [...samePairs, ...setPartners(couples)];
}

export function outcomeOf(group: Group, by: MatchKey, fitRules: FitRules) {
  const mayMatch = matchTest(group, by === 'id');
  const samePairs = pairSameMoney(group, mayMatch, fitRules);
  const [repeatedLines, repeatedOperations] = repetitionsIn(group, mayMatch, fitRules);
  const unmatched = unmatchedIn(group, [repeatedLines, repeatedOperations]);
  const { couples, ambiguous } = bundlesOf(unmatched, mayMatch);
  setPartners(couples);
  for (const { lines, operations } of ambiguous)
    for (const member of [...lines, ...operations]) member.partner = -1;
  const [lines, operations] = [group.lines.filter(isPaired), group.operations.filter(isPaired)];
  const [relatedLines, relatedOperations] = freePairs(
    unmatched,
    (line) => operations.find((operation) => mayMatch(line, operation)),
    (operation) => lines.find((line) => mayMatch(line, operation)),
  );
  const pairs = [...samePairs, ...couples];
  return { pairs, repeatedLines, repeatedOperations, ambiguous, relatedLines, relatedOperations };
}

type FreePairs = readonly [lines: readonly Pair[], operations: readonly Pair[]];

function freePairs(
  { lines, operations }: Members,
  operationFor: (line: GroupLine) => GroupOperation | undefined,
  lineFor: (operation: GroupOperation) => GroupLine | undefined,
): FreePairs {
  return [
    lines.filter(isFree).flatMap((line) => {
      const operation = operationFor(line);
      return operation === undefined ? [] : [[line, operation] as const];
    }),
    operations.filter(isFree).flatMap((operation) => {
      const line = operation.status === FAILED ? undefined : lineFor(operation);
      return line === undefined ? [] : [[line, operation] as const];
    }),
  ];
}

function repetitionsIn(group: Group, mayMatch: MayMatch, fitRules: FitRules): FreePairs {
  const { isTolerant } = fitRules;
  const isSame = sameMoneyTest(mayMatch, fitRules);
  const findLine = finderIn(group.lines.filter(isPaired), group.operations.length, isTolerant);
  const findOperation = finderIn(group.operations.filter(isPaired), group.lines.length, isTolerant);
  return freePairs(
    group,
    (line) => findOperation(line, (operation) => isSame(line, operation)),
    (operation) => findLine(operation, (line) => isSame(line, operation)),
  );
}

function finderIn<Member extends GroupLine | GroupOperation>(
  taken: readonly Member[],
  callsMax: number,
  isTolerant: boolean,
): (of: GroupLine | GroupOperation, fits: (one: Member) => boolean) => Member | undefined {
  const entriesByMoney = Map.groupBy(taken, moneyOf);
  const triesAll = isTolerant && taken.length * callsMax <= TOLERANCE_PAIRS_MAX;
  return (of, fits) =>
    entriesByMoney.get(moneyOf(of))?.find(fits) ?? (triesAll ? taken.find(fits) : undefined);
}

function unmatchedIn({ lines, operations }: Group, [repeatedLines, repeatedOperations]: FreePairs): Members {
  const repeatedEntries = new Set<GroupLine | GroupOperation>([
    ...repeatedLines.map(([line]) => line),
    ...repeatedOperations.map(([, operation]) => operation),
  ]);
  const isUnmatched = (one: GroupLine | GroupOperation): boolean => isFree(one) && !repeatedEntries.has(one);
  return { lines: lines.filter(isUnmatched), operations: operations.filter(isUnmatched) };
}

function bundlesOf({ lines, operations }: Members, mayMatch: MayMatch) {
  const kindOf = ({ direction, status }: GroupOperation): string => `${direction} ${status === FAILED}`;
  const lineKinds = Map.groupBy(lines, ({ direction }) => direction);
  const operationKinds = Map.groupBy(operations, kindOf);
  const firstLines = [...lineKinds.values()].flatMap((members) => members.slice(0, 1));
  const firstOperations = [...operationKinds.values()].flatMap((members) => members.slice(0, 1));
  const bundles = componentsOf(firstLines, firstOperations, mayMatch).map((bundle) => ({
    lines: lines.filter(({ direction }) => bundle.lines.some((one) => one.direction === direction)),
    operations: operations.filter((each) => bundle.operations.some((one) => kindOf(one) === kindOf(each))),
  }));
  return {
    couples: bundles.flatMap((bundle) => {
      const [line, operation] = [bundle.lines[0], bundle.operations[0]];
      if (!isCouple(bundle) || line === undefined || operation === undefined) return [];
      return [[line, operation] as const];
    }),
    ambiguous: bundles.filter((bundle) => !isCouple(bundle)),
  };
}

function isCouple({ lines, operations }: Members): boolean {
  return lines.length === 1 && operations.length === 1;
}

const TOLERANCE_PAIRS_MAX = 65_536;

type MayMatch = (line: GroupLine, operation: GroupOperation) => boolean;

/** A live operation goes before a failed one, because a failed payment may have been made again. */
function matchTest({ live }: Group, isById: boolean): MayMatch {
  return (line, operation) => {
    if (!isById && !directionsAgree(line, operation)) return false;
    if (operation.status !== FAILED) return true;
    return isById || line.direction > 1 ? live.size === 0 : !live.has(operation.direction);
  };
}

function sameMoneyTest(mayMatch: MayMatch, { tolerancesNeeded }: FitRules): MayMatch {
  return (line, operation) => mayMatch(line, operation) && tolerancesNeeded(line, operation) !== null;
}

function pairSameMoney(group: Group, mayMatch: MayMatch, fitRules: FitRules): Pair[] {
  const pairs: Pair[] = [];
  const isSame = sameMoneyTest(mayMatch, fitRules);
  const take = (lines: readonly GroupLine[], operations: readonly GroupOperation[]): void => {
    pairs.push(...setPartners(pairInOrder(lines, operations, fitRules.days)));
  };
  const operationsByMoney = Map.groupBy(group.operations.filter(isFree), moneyOf);
  for (const isDirected of [true, false]) {
    const lines = group.lines.filter((line) => isFree(line) && line.direction < 2 === isDirected);
    for (const equalLines of Map.groupBy(lines, (line) => `${line.direction} ${moneyOf(line)}`).values()) {
      const candidates = equalLines.slice(0, 1).flatMap((line) => {
        const operations = operationsByMoney.get(moneyOf(line)) ?? [];
        return operations.filter((one) => isFree(one) && isSame(line, one));
      });
      if (new Set(candidates.map(({ direction }) => direction)).size === 1) take(equalLines, candidates);
    }
  }
  if (fitRules.isTolerant)
    for (const { lines, operations } of withinTolerance(group, isSame)) take(lines, operations);
  return pairs;
}

function withinTolerance(group: Group, isSame: MayMatch): Members[] {
  const [lines, operations] = [group.lines.filter(isFree), group.operations.filter(isFree)];
  if (lines.length * operations.length > TOLERANCE_PAIRS_MAX) return [];
  const components = componentsOf(lines, operations, isSame);
  return components.filter((one) => isUniform(one.lines) && isUniform(one.operations));
}

function isUniform(members: readonly (GroupLine | GroupOperation)[]): boolean {
  return new Set(members.map((one) => `${one.direction} ${moneyOf(one)}`)).size === 1;
}

function componentsOf(
  lines: readonly GroupLine[],
  operations: readonly GroupOperation[],
  belong: MayMatch,
): Members[] {
  const operationsOf = new Map(lines.map((line) => [line, operations.filter((one) => belong(line, one))]));
  const seen = new Set<GroupLine | GroupOperation>();
  return lines.flatMap((first) => {
    if (seen.has(first)) return [];
    seen.add(first);
    const [ownLines, ownOperations]: [GroupLine[], GroupOperation[]] = [[first], []];
    for (const line of ownLines) {
      for (const one of (operationsOf.get(line) ?? []).filter((each) => !seen.has(each))) {
        seen.add(one);
        ownOperations.push(one);
        for (const other of lines) {
          if (seen.has(other) || !belong(other, one)) continue;
          seen.add(other);
          ownLines.push(other);
        }
      }
    }
    if (ownOperations.length === 0) return [];
    return {
      lines: lines.filter((line) => ownLines.includes(line)),
      operations: operations.filter((one) => ownOperations.includes(one)),
    };
  });
}

const DAYS_MAX = 62;

function pairInOrder(
  lines: readonly GroupLine[],
  operations: readonly GroupOperation[],
  days: number,
): readonly Pair[] {
  const [line, operation] = [lines[0], operations[0]];
  if (line === undefined || operation === undefined) return [];
  if (lines.length === 1 && operations.length === 1) return [[line, operation]];
  const pairs: Pair[] = [];
  let freeLines = lines;
  for (const sameStatus of Map.groupBy(operations, ({ status }) => status).values()) {
    let freeOperations: readonly GroupOperation[] = sameStatus;
    const pair = (lineTraitOf: TraitOf<GroupLine>, operationTraitOf: TraitOf<GroupOperation>): void => {
      const pairsByTrait = pairByTrait(freeLines, freeOperations, lineTraitOf, operationTraitOf);
      const taken = new Set<GroupLine | GroupOperation>(pairsByTrait.flat());
      freeLines = freeLines.filter((one) => !taken.has(one));
      freeOperations = freeOperations.filter((one) => !taken.has(one));
      pairs.push(...pairsByTrait);
    };
    pair(bankOf, bankOf);
    for (
      let off = 0;
      off <= Math.min(days, DAYS_MAX) && freeLines.length > 0 && freeOperations.length > 0;
      off += 1
    )
      for (const shift of off === 0 ? [0] : [-off, off]) pair(dayOf(shift), dayOf(0));
    pair(sameTrait, sameTrait);
  }
  return pairs;
}

type TraitOf<Member> = (member: Member) => string | number | null;

const bankOf: TraitOf<GroupLine | GroupOperation> = ({ bank }) => bank;
const sameTrait: TraitOf<GroupLine | GroupOperation> = () => 0;

function dayOf(shift: number): TraitOf<GroupLine | GroupOperation> {
  return ({ day }) => (day === null ? null : day + shift);
}

function pairByTrait(
  lines: readonly GroupLine[],
  operations: readonly GroupOperation[],
  lineTraitOf: TraitOf<GroupLine>,
  operationTraitOf: TraitOf<GroupOperation>,
): Pair[] {
  const linesByTrait = Map.groupBy(lines, lineTraitOf);
  const nextIndexes = new Map<string | number, number>();
  return operations.flatMap((operation) => {
    const trait = operationTraitOf(operation);
    if (trait === null) return [];
    const at = nextIndexes.get(trait) ?? 0;
    const line = linesByTrait.get(trait)?.[at];
    nextIndexes.set(trait, at + 1);
    return line === undefined ? [] : [[line, operation] as const];
  });
}
