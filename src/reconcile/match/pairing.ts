/** Lines and operations that share a name and are the same money, brought together one to one. Pure, but for their partners. */
import { FAILED } from './entries.js';
import type { Fitting } from './fitting.js';
import {
  agree,
  type Group,
  type GroupLine,
  type GroupOperation,
  isFree,
  join,
  type Members,
  moneyOf,
  type Pair,
} from './member.js';
import { inOrder } from './order.js';

/** Of more than so many pairs no tolerance is tried: thousands share the name, and most of them would be within it. */
export const TOLERANCE_PAIRS_MAX = 65_536;

/** Whether an operation is one that the line may mean. */
export type MayMean = (line: GroupLine, operation: GroupOperation) => boolean;

/**
 * A failed operation is meant only where nothing else is: a payment that failed and was made again is named by the reference of both. By
 * an id a line means its operation whatever its direction.
 */
export function meaningIn({ live }: Group, isById: boolean): MayMean {
  return (line, operation) => {
    if (!isById && !agree(line, operation)) return false;
    if (operation.status !== FAILED) return true;
    return isById || line.direction > 1 ? live.size === 0 : !live.has(operation.direction);
  };
}

/** Pairs of the same money: exact ones first, then those within a tolerance. Where it isn't plain which, none. */
export function pairsOf(group: Group, mayMean: MayMean, fitting: Fitting): Pair[] {
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
export function componentsOf(
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
