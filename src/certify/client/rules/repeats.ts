import type { Baseline } from '../baseline.js';
import { markOfBody } from '../fingerprint.js';
import { excessRepetitions, clearestRepetition, groupOf, type Repetition } from '../repetition.js';
import {
  CROSSING_MS,
  hasEndedBefore,
  type Rule,
  type RuleFacts,
  requestWords,
  timesWords,
  answerWords,
} from '../rule.js';
import { isCreate, isRead, type RunView } from '../run-view.js';
import { isOutcomeUnknown, type SeenRequest } from '../request-seen.js';

const REFUSAL_STATUSES: readonly number[] = [400, 401, 403, 404, 409];

export const noRepeat4xx: Rule = (facts) => {
  const { view, baseline } = facts;
  const repeatedRefusals = excessRepetitions(facts, (view) =>
    repetitionsOf(view, baseline).filter((one) => !isReadOfMissing(one)),
  );
  const repeatsOfMissing = (one: RunView): Repetition[] =>
    repetitionsOf(one, baseline).filter(isReadOfMissing);
  const usualGroups = new Set(
    baseline.views.flatMap((one) => repeatsOfMissing(one).map(({ group }) => group)),
  );
  const unusualRepeats =
    repeatedRefusals.length > 0 ? [] : repeatsOfMissing(view).filter(({ group }) => !usualGroups.has(group));
  const repetition = clearestRepetition(repeatedRefusals) ?? clearestRepetition(unusualRepeats);
  if (repetition === null) return null;
  const { first, again } = repetition;
  const times = [...repeatedRefusals, ...unusualRepeats].filter((one) => one.first === first).length;
  const key = first.key === again.key ? '' : ' with another key';
  return {
    why: `${requestWords(first)} was refused with ${answerWords(first.answer)}. #${String(again.number)} sends the same request again${key} (${timesWords(times)} in all).`,
    requests: [first.number, again.number],
    severity: repeatedRefusals.length > 0 ? 'must' : 'should',
  };
};

function isReadOfMissing({ first: { route, answer } }: Repetition): boolean {
  return isRead(route) && answer.kind === 'readable' && answer.status === 404;
}

function repetitionsOf(view: RunView, baseline: Baseline): Repetition[] {
  const refusals = new Map<string, SeenRequest>();
  const lastRequests = new Map<string, SeenRequest>();
  const kindsByName = new Map<string, Set<string>>();
  return view.run.requests.flatMap((again) => {
    const [name, nameWithKey] = [nameOf(again), keyedName(nameOf(again), again)];
    const group = groupOf(view, again);
    const previous = lastRequests.get(nameWithKey);
    lastRequests.set(nameWithKey, again);
    const kinds = kindsByName.get(name) ?? new Set();
    kindsByName.set(name, kinds.add(isCreate(again.route) ? nameWithKey : String(again.number)));
    const first = refusals.get(name) ?? refusals.get(nameWithKey);
    if (first === undefined) {
      const { answer } = again;
      const isRefused = answer.kind === 'readable' && REFUSAL_STATUSES.includes(answer.status);
      if (isRefused) refusals.set(answer.status === 409 ? nameWithKey : name, again);
      return [];
    }
    const isForced = previous !== undefined && isOutcomeUnknown(previous.answer);
    const mayBeAnother = isCreate(again.route) ? first.key !== again.key : again.operation === null;
    const isUsual = mayBeAnother && kinds.size <= usualTimes(baseline, group, scopeCount(view));
    return isForced || isUsual || !hasEndedBefore(first, again) ? [] : [{ group, first, again }];
  });
}

function usualTimes({ views }: Baseline, group: string, runScopes: number): number {
  const counts = views.flatMap((view) => {
    const mergesScopes = runScopes < scopeCount(view);
    const kindsByName = new Map<string, Set<string>>();
    for (const one of view.run.requests) {
      if (groupOf(view, one) !== group) continue;
      const name = nameOf(mergesScopes ? { ...one, scope: '' } : one);
      const kinds = kindsByName.get(name) ?? new Set();
      kindsByName.set(name, kinds.add(isCreate(one.route) ? keyedName(one.scope, one) : String(one.number)));
    }
    return [...kindsByName.values()].map(({ size }) => size);
  });
  return Math.max(0, ...counts);
}

function scopeCount({ run }: RunView): number {
  return new Set(run.requests.map(({ scope }) => scope)).size;
}

function nameOf({ scope, method, target, body, bearer }: SeenRequest): string {
  return JSON.stringify([scope, method, target, bearer, method === 'GET' ? '' : markOfBody(body)]);
}

function keyedName(name: string, { key }: SeenRequest): string {
  return `${name} ${key ?? ''}`;
}

export const retryAfter: Rule = (facts) => {
  const { run } = facts.view;
  for (const first of run.requests) {
    const { answer, endedMs } = first;
    const seconds = answer.kind === 'readable' ? answer.retryAfterSeconds : null;
    if (seconds === null || endedMs === null || first.fault === null) continue;
    const waitMs = seconds * 1000 - CROSSING_MS;
    const retries = earlyRetries(run.requests, first, endedMs, waitMs);
    const [again] = retries;
    if (again === undefined || retries.length <= usualRetryCount(facts, first, waitMs)) continue;
    return {
      why: `${requestWords(first)} was answered ${answerWords(answer)} with Retry-After: ${String(seconds)}. #${String(again.number)} came ${String(Math.round(again.atMs - endedMs))} ms later.`,
      requests: [first.number, again.number],
    };
  }
  return null;
};

function earlyRetries(
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
      later.method === first.method &&
      later.target === first.target &&
      later.key === first.key &&
      markOfBody(later.body) === markOfBody(first.body),
  );
}

function usualRetryCount({ view, baseline }: RuleFacts, first: SeenRequest, waitMs: number): number {
  if (!isRead(first.route)) return 0;
  const group = groupOf(view, first);
  const retryCountsOf = (one: RunView): number[] =>
    one.run.requests
      .filter((read) => groupOf(one, read) === group)
      .map((read) => earlyRetries(one.run.requests, read, read.atMs, waitMs, true).length);
  return Math.max(0, ...baseline.views.flatMap(retryCountsOf));
}
