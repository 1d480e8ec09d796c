/** What a run sends again and should not, allowed as often as a clean run does it. Pure. */
import { isAsInClean, type ScopeCounts } from './allowance.js';
import type { RuleFacts } from './rule.js';
import type { RunView } from './run-view.js';
import type { SeenRequest } from './seen.js';

/** One request, and another one that should not follow it. */
export interface Repetition {
  /** What is counted together: a route and a payment. */
  readonly group: string;
  readonly first: SeenRequest;
  readonly again: SeenRequest;
}

export function groupOf({ paymentOf }: RunView, request: SeenRequest): string {
  return `${request.route ?? request.method} ${paymentOf(request)?.fingerprint ?? '-'}`;
}

/** Those of the groups of which a run has more than the clean runs. */
export function beyondClean<T extends Repetition>(
  { view, clean }: RuleFacts,
  repetitionsOf: (view: RunView) => readonly T[],
): readonly T[] {
  const mine = repetitionsOf(view);
  if (mine.length === 0) return mine;
  const cleanOnes = clean.views.map((one) => countedBy(one, repetitionsOf(one)));
  const counted = countedBy(view, mine);
  const broken = new Set(
    mine
      .map(({ group }) => group)
      .filter(
        (group) =>
          !isAsInClean(
            counted(group),
            cleanOnes.map((of) => of(group)),
          ),
      ),
  );
  return mine.filter(({ group }) => broken.has(group));
}

/** How many of a group there are in each scope of the run, those without any too. */
function countedBy({ run }: RunView, repetitions: readonly Repetition[]): (group: string) => ScopeCounts {
  const scopes = [...new Set(run.requests.map(({ scope }) => scope))];
  return (group) =>
    scopes.map((scope) => {
      const own = repetitions.filter((one) => one.group === group && one.first.scope === scope);
      return { all: own.length, over: 0 };
    });
}

/** The one that tells most: whose first request met the fault, else the last. */
export function clearest<T extends Repetition>(repetitions: readonly T[]): T | null {
  return repetitions.find(({ first }) => first.fault !== null) ?? repetitions.at(-1) ?? null;
}
