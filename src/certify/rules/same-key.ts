/** What may have been carried out is repeated with its own key: another one is another payment (section 4). */
import { isAsInClean, type ScopeCounts } from '../allowance.js';
import { hasEndedBefore, keyWords, type Rule, timesWords, toldWords } from '../rule.js';
import type { KeyUse, SeenPayment } from '../run-view.js';
import { isLeftOpen, type SeenRequest } from '../seen.js';

export const sameKey: Rule = ({ view, clean }) => {
  const broken = [...view.payments.values()].flatMap((payment) => {
    const known = clean.views.flatMap(({ payments }) => payments.get(payment.fingerprint) ?? []);
    if (known.length === 0) return [];
    const allowed = known.map((one) => countsOf(one, isOver));
    if (isAsInClean(countsOf(payment, isOver), allowed)) return [];
    const isForgiven = isAsInClean(
      countsOf(payment, (use) => use.isOver || use.isThrottled),
      allowed,
    );
    return [
      { payment, severity: isForgiven ? 'should' : 'must', clean: known[0]?.keys.length ?? 0 } as const,
    ];
  });
  const found = broken.find(({ severity }) => severity === 'must') ?? broken[0];
  if (found === undefined) return null;
  const { payment, severity } = found;
  const requests = payment.keys
    .flatMap((use) => use.requests)
    .sort((one, other) => one.number - other.number);
  const pair = takenAnew(requests);
  const counted = `${String(payment.keys.length)} keys were used for a payment that a clean run makes ${timesWords(found.clean)}.`;
  const shown = pair ?? requests;
  return {
    why: pair === null ? counted : pairWords(pair),
    requests: shown.map(({ number }) => number),
    severity,
  };
};

/** Of each scope. */
function countsOf({ keys }: SeenPayment, isNothing: (use: KeyUse) => boolean): ScopeCounts {
  return [...new Set(keys.map(({ scope }) => scope))].map((scope) => {
    const own = keys.filter((use) => use.scope === scope);
    return { all: own.length, over: own.filter(isNothing).length };
  });
}

function isOver(use: KeyUse): boolean {
  return use.isOver;
}

/** The request that was left open, and the one that came after it with another key. */
function takenAnew(requests: readonly SeenRequest[]): readonly [SeenRequest, SeenRequest] | null {
  for (const first of requests) {
    const { told } = first;
    if (!isLeftOpen(told) && !(told.kind === 'answer' && [409, 429].includes(told.status))) continue;
    const isAnew = (later: SeenRequest): boolean =>
      later.number > first.number && later.scope === first.scope && later.key !== first.key;
    const next =
      requests.find((later) => isAnew(later) && hasEndedBefore(first, later)) ?? requests.find(isAnew);
    if (next !== undefined) return [first, next];
  }
  return null;
}

function pairWords([first, next]: readonly [SeenRequest, SeenRequest]): string {
  const [one, other] = [`#${String(first.number)}`, `#${String(next.number)}`];
  return `${one} with ${keyWords(first.key)} got ${toldWords(first.told)}. ${other} sends the same payment with another key: ${keyWords(next.key)}.`;
}
