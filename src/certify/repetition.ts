/** Finds requests that a run repeats more often than the clean runs do. Pure. */
import { isWithinClean, type ScopeCounts } from './allowance.js';
import type { RuleFacts } from './rule.js';
import type { RunView } from './run-view.js';
import type { SeenRequest } from './seen.js';

/** A request, and a later one that should not follow it. */
export interface Repetition {
  /** Route and payment: repetitions of one group are counted together. */
  readonly group: string;
  readonly first: SeenRequest;
  readonly again: SeenRequest;
}

export function groupOf({ paymentOf }: RunView, request: SeenRequest): string {
  return `${request.route ?? request.method} ${paymentOf(request)?.fingerprint ?? '-'}`;
}

/** Returns the repetitions of each group that the run repeats more often than a clean run does. */
export function excessRepetitions<T extends Repetition>(
  { view, clean }: RuleFacts,
  repetitionsOf: (view: RunView) => readonly T[],
): readonly T[] {
  const mine = repetitionsOf(view);
  if (mine.length === 0) return mine;
  const cleanCounts = clean.views.map((one) => countedBy(one, repetitionsOf(one)));
  const ownCounts = countedBy(view, mine);
  const isBroken = (group: string): boolean => {
    const allowed = cleanCounts.map((of) => of(group));
    return !isWithinClean(ownCounts(group), allowed);
  };
  const broken = new Set(mine.map(({ group }) => group).filter(isBroken));
  return mine.filter(({ group }) => broken.has(group));
}

/** Counts the repetitions of a group in each scope of the run; a scope may have none. */
function countedBy({ run }: RunView, repetitions: readonly Repetition[]): (group: string) => ScopeCounts {
  const scopes = [...new Set(run.requests.map(({ scope }) => scope))];
  return (group) =>
    scopes.map((scope) => {
      const own = repetitions.filter((one) => one.group === group && one.first.scope === scope);
      return { all: own.length, unpaid: 0 };
    });
}

/** Picks the repetition to show: one whose first request the fault hit, else the last. */
export function clearestRepetition<T extends Repetition>(repetitions: readonly T[]): T | null {
  return repetitions.find(({ first }) => first.fault !== null) ?? repetitions.at(-1) ?? null;
}
