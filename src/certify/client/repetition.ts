import type { Breach, RuleFacts } from './rule.js';
import type { RunView } from './run-view.js';
import type { SeenRequest } from './request-seen.js';

type ScopeCount = Readonly<Record<'all' | 'unpaid', number>>;

export type ScopeCounts = readonly ScopeCount[];

export function scopeCounts<T extends { scope: string }>(all: readonly T[], isUnpaid: (one: T) => boolean) {
  return [...Map.groupBy(all, ({ scope }) => scope).values()].map((inScope) => ({
    all: inScope.length,
    unpaid: inScope.filter(isUnpaid).length,
  }));
}

export function isWithinClean(counts: ScopeCounts, cleanRunCounts: readonly ScopeCounts[]): boolean {
  return cleanRunCounts.some((cleanCounts) => {
    if (counts.length > cleanCounts.length)
      return counts.every((count) => cleanCounts.some((cleanCount) => isAtMost(count, cleanCount)));
    if (counts.length < cleanCounts.length) return isAtMost(totalOf(counts), totalOf(cleanCounts));
    return canBePaired(counts, cleanCounts);
  });
}

function isAtMost(count: ScopeCount, cleanCount: ScopeCount): boolean {
  return count.all - Math.max(0, count.unpaid - cleanCount.unpaid) <= cleanCount.all;
}

function totalOf(counts: ScopeCounts): ScopeCount {
  const sum = (of: (one: ScopeCount) => number): number => counts.reduce((total, one) => total + of(one), 0);
  return { all: sum(({ all }) => all), unpaid: sum(({ unpaid }) => unpaid) };
}

function canBePaired(counts: ScopeCounts, cleanCounts: ScopeCounts): boolean {
  const paid = ({ all, unpaid }: ScopeCount): number => all - unpaid;
  const unpaired = cleanCounts.toSorted((one, other) => one.all - other.all);
  return counts
    .toSorted((one, other) => paid(other) - paid(one))
    .every((count) => {
      const at = unpaired.findIndex((cleanCount) => isAtMost(count, cleanCount));
      if (at !== -1) unpaired.splice(at, 1);
      return at !== -1;
    });
}

export interface Repetition {
  readonly group: string;
  readonly first: SeenRequest;
  readonly again: SeenRequest;
}

export function breachOf<T extends Repetition>(
  repetition: T | null,
  whyOf: (one: T) => string,
): Breach | null {
  if (repetition === null) return null;
  return { why: whyOf(repetition), requests: [repetition.first.number, repetition.again.number] };
}

export function groupOf({ paymentOf }: RunView, request: SeenRequest): string {
  return `${request.route ?? request.method} ${paymentOf(request)?.fingerprint ?? '-'}`;
}

export function excessRepetitions<T extends Repetition>(
  { view, baseline }: RuleFacts,
  repetitionsOf: (view: RunView) => readonly T[],
): readonly T[] {
  const repetitions = repetitionsOf(view);
  if (repetitions.length === 0) return repetitions;
  const cleanCounters = baseline.views.map((one) => counterOf(one, repetitionsOf(one)));
  const ownCountsOf = counterOf(view, repetitions);
  const isInExcess = (group: string): boolean => {
    const cleanCounts = cleanCounters.map((countsOf) => countsOf(group));
    return !isWithinClean(ownCountsOf(group), cleanCounts);
  };
  const brokenGroups = new Set(repetitions.map(({ group }) => group).filter(isInExcess));
  return repetitions.filter(({ group }) => brokenGroups.has(group));
}

function counterOf({ run }: RunView, repetitions: readonly Repetition[]): (group: string) => ScopeCounts {
  const scopes = [...new Set(run.requests.map(({ scope }) => scope))];
  return (group) =>
    scopes.map((scope) => {
      const inScope = repetitions.filter((one) => one.group === group && one.first.scope === scope);
      return { all: inScope.length, unpaid: 0 };
    });
}

export function clearestRepetition<T extends Repetition>(repetitions: readonly T[]): T | null {
  return repetitions.find(({ first }) => first.fault !== null) ?? repetitions.at(-1) ?? null;
}
