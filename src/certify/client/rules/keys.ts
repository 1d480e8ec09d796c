import { changedPaths, markOfBody } from '../fingerprint.js';
import {
  breachOf,
  excessRepetitions,
  clearestRepetition,
  groupOf,
  isWithinClean,
  type Repetition,
  scopeCounts,
} from '../repetition.js';
import { hasEndedBefore, keyWords, type Rule, timesWords, answerWords } from '../rule.js';
import { isCreate, type RunView } from '../run-view.js';
import type { Severity } from '../../report/report.js';
import { isOutcomeUnknown, type SeenRequest } from '../request-seen.js';

type ReusedKey = Repetition & { readonly isSameBody: boolean };

function reusedKeys(view: RunView): ReusedKey[] {
  const firstRequests = new Map<string, SeenRequest>();
  const otherBodies = new Map<string, Uint8Array[]>();
  return view.run.requests.flatMap((again) => {
    const { route, scope, key, body } = again;
    if (!isCreate(route) || key === null) return [];
    const name = JSON.stringify([scope, key]);
    const first = firstRequests.get(name);
    if (first === undefined || isRefusedBefore(first, again)) {
      firstRequests.set(name, again);
      return [];
    }
    const isKnown = (otherBodies.get(name) ?? []).some((known) => Buffer.compare(known, body) === 0);
    if (isKnown || Buffer.compare(first.body, body) === 0) return [];
    otherBodies.set(name, [...(otherBodies.get(name) ?? []), body]);
    const isSameBody = first.route === route && markOfBody(first.body) === markOfBody(body);
    return [{ group: `${groupOf(view, first)} > ${groupOf(view, again)}`, first, again, isSameBody }];
  });
}

function isRefusedBefore(first: SeenRequest, again: SeenRequest): boolean {
  return first.answer.kind === 'readable' && first.answer.status === 400 && hasEndedBefore(first, again);
}

const reuseRule =
  (isSame: boolean, whyOf: (reuse: ReusedKey) => string): Rule =>
  (facts) => {
    const reusesOf = (view: RunView) => reusedKeys(view).filter(({ isSameBody }) => isSameBody === isSame);
    return breachOf(clearestRepetition(excessRepetitions(facts, reusesOf)), whyOf);
  };

export const sameBody = reuseRule(false, ({ first, again }) => {
  const paths = changedPaths(first.body, again.body);
  const differenceText = paths.length === 0 ? '' : ` They differ in ${paths.join(', ')}.`;
  return `The ${keyWords(again.key)} came with one body in #${String(first.number)} and with another in #${String(again.number)}.${differenceText}`;
});

/** A service that compares bytes would refuse a retry with other bytes. */
export const sameBytes = reuseRule(
  true,
  ({ first, again }) =>
    `The ${keyWords(again.key)} came with the same members in other bytes: #${String(first.number)} and #${String(again.number)}.`,
);

export const sameKey: Rule = ({ view, baseline }) => {
  const breaches = [...view.payments.values()].flatMap((payment) => {
    const cleanPayments = baseline.views.flatMap(({ payments }) => payments.get(payment.fingerprint) ?? []);
    if (cleanPayments.length === 0) return [];
    const cleanCounts = cleanPayments.map((one) => scopeCounts(one.keys, ({ isUnpaid }) => isUnpaid));
    const keyCounts = scopeCounts(payment.keys, ({ isUnpaid }) => isUnpaid);
    if (isWithinClean(keyCounts, cleanCounts)) return [];
    const unthrottledCounts = scopeCounts(payment.keys, (use) => use.isUnpaid || use.isThrottled);
    const severity: Severity = isWithinClean(unthrottledCounts, cleanCounts) ? 'should' : 'must';
    return [{ payment, severity, usualCount: cleanPayments[0]?.keys.length ?? 0 }];
  });
  const breach = breaches.find(({ severity }) => severity === 'must') ?? breaches[0];
  if (breach === undefined) return null;
  const { payment, severity } = breach;
  const all = payment.keys.flatMap((use) => use.requests);
  const requests = all.sort((one, other) => one.number - other.number);
  const pair = newKeyPair(requests);
  const countText = `${String(payment.keys.length)} keys were used for a payment that a clean run makes ${timesWords(breach.usualCount)}.`;
  if (pair === null) return { why: countText, requests: requests.map(({ number }) => number), severity };
  const [first, next] = pair;
  return {
    why: `#${String(first.number)} with ${keyWords(first.key)} got ${answerWords(first.answer)}. #${String(next.number)} sends the same payment with another key: ${keyWords(next.key)}.`,
    requests: [first.number, next.number],
    severity,
  };
};

function newKeyPair(requests: readonly SeenRequest[]): readonly [SeenRequest, SeenRequest] | null {
  for (const first of requests) {
    const { answer } = first;
    if (!isOutcomeUnknown(answer) && !(answer.kind === 'readable' && [409, 429].includes(answer.status)))
      continue;
    const hasNewKey = (later: SeenRequest): boolean =>
      later.number > first.number && later.scope === first.scope && later.key !== first.key;
    const next =
      requests.find((later) => hasNewKey(later) && hasEndedBefore(first, later)) ?? requests.find(hasNewKey);
    if (next !== undefined) return [first, next];
  }
  return null;
}
