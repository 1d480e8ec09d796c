/** Where the service says when to come again, a request is not repeated before that (section 4). */
import { markOfBody } from '../fingerprint.js';
import { groupOf } from '../repetition.js';
import { CROSSING_MS, type Rule, type RuleFacts, requestWords, toldWords } from '../rule.js';
import { isRead, type RunView } from '../run-view.js';
import type { SeenRequest } from '../seen.js';

export const retryAfter: Rule = (facts) => {
  const { run } = facts.view;
  for (const first of run.requests) {
    const { told, endedMs } = first;
    const seconds = told.kind === 'answer' ? told.retryAfterSeconds : null;
    // A test that asks for such an answer itself has a clock of its own.
    if (seconds === null || endedMs === null || first.fault === null) continue;
    const waitMs = seconds * 1000 - CROSSING_MS;
    const early = soonAfter(run.requests, first, endedMs, waitMs);
    const [again] = early;
    if (again === undefined || early.length <= usualOf(facts, first, waitMs)) continue;
    return {
      why: `${requestWords(first)} was answered ${toldWords(told)} with Retry-After: ${String(seconds)}. #${String(again.number)} came ${String(Math.round(again.atMs - endedMs))} ms later.`,
      requests: [first.number, again.number],
    };
  }
  return null;
};

/** The same requests that come within a time. */
function soonAfter(
  requests: readonly SeenRequest[],
  first: SeenRequest,
  fromMs: number,
  waitMs: number,
  isAnyScope = false,
): SeenRequest[] {
  return requests.filter(
    (later) =>
      later.number > first.number &&
      (isAnyScope || later.scope === first.scope) &&
      later.atMs >= fromMs &&
      later.atMs - fromMs < waitMs &&
      isSame(first, later),
  );
}

/** How often a clean run reads the same in such a time: tests that do so know nothing of each other, and one that fails may leave out its reset. */
function usualOf({ view, clean }: RuleFacts, first: SeenRequest, waitMs: number): number {
  if (!isRead(first.route)) return 0;
  const group = groupOf(view, first);
  const each = (one: RunView): number[] =>
    one.run.requests
      .filter((read) => groupOf(one, read) === group)
      .map((read) => soonAfter(one.run.requests, read, read.atMs, waitMs, true).length);
  return Math.max(0, ...clean.views.flatMap(each));
}

function isSame(one: SeenRequest, other: SeenRequest): boolean {
  return (
    one.method === other.method &&
    one.target === other.target &&
    one.key === other.key &&
    markOfBody(one.body) === markOfBody(other.body)
  );
}
