import { counted } from '../../../contract/on-screen.js';
import { scopeCounts, isWithinClean, type ScopeCounts } from '../repetition.js';
import { CLIENT_FAULTS, type FaultPlace } from '../faults.js';
import type { Baseline, CleanPayment } from '../baseline.js';
import type { Rule } from '../rule.js';
import { knownFailures, type SeenPayment, type RunView } from '../run-view.js';
import type { SeenOperation } from '../request-seen.js';

/** A run may replace a refused or failed payment by a new one, but makes no other payment that a clean run does not make. */
export const paidOnce: Rule = ({ view, baseline }) => {
  for (const payment of view.payments.values()) {
    const cleanPayments = cleanPaymentsLike(payment, baseline);
    const cleanCounts = cleanPayments.map(operationCounts);
    if (cleanCounts.length === 0 || isWithinClean(operationCounts(payment), cleanCounts)) continue;
    const unfailedOperations = payment.operations.filter(({ status }) => status !== 'failed');
    const usualCount = Math.max(...cleanPayments.map(({ operations }) => operations.length));
    return {
      why: `The run made ${counted(payment.operations.length, 'operation')}, and a clean run makes ${String(usualCount)}: ${idWords(unfailedOperations)}.`,
      requests: payment.operations.map(({ requestNumber }) => requestNumber),
    };
  }
  const payments = strangePayments(view, baseline);
  const all = payments.flatMap(({ operations }) => operations);
  const operations = all.filter(({ status }) => status !== 'failed');
  if (operations.length <= countReplaceable(view, baseline)) return null;
  return {
    why: `The run made a payment that no clean run makes (${payments[0]?.route ?? 'a create'}): ${idWords(operations)}.`,
    requests: operations.map(({ requestNumber }) => requestNumber),
  };
};

function cleanPaymentsLike({ fingerprint }: SeenPayment, { views }: Baseline): SeenPayment[] {
  return views.flatMap(({ payments }) => payments.get(fingerprint) ?? []);
}

export function strangePayments({ payments }: RunView, baseline: Baseline): SeenPayment[] {
  return [...payments.values()].filter((payment) => cleanPaymentsLike(payment, baseline).length === 0);
}

function countReplaceable({ payments }: RunView, baseline: Baseline): number {
  return [...payments.values()].reduce((sum, payment) => {
    const [cleanKeys = { all: 0, unpaid: 0 }] = cleanPaymentsLike(payment, baseline).map(keysOf);
    const keys = keysOf(payment);
    const isStrange = cleanPaymentsLike(payment, baseline).length === 0;
    const repeated = isStrange ? 0 : Math.max(0, keys.all - cleanKeys.all);
    return sum + Math.max(0, keys.unpaid - cleanKeys.unpaid - repeated);
  }, 0);
}

function keysOf({ keys }: SeenPayment): { all: number; unpaid: number } {
  return { all: keys.length, unpaid: keys.filter(({ isUnpaid }) => isUnpaid).length };
}

const operationCounts = ({ operations }: SeenPayment): ScopeCounts =>
  scopeCounts(operations, ({ status }) => status === 'failed');

function idWords(operations: readonly SeenOperation[]): string {
  return operations.map(({ id }) => id.slice(0, 8)).join(', ');
}

export const saysDone: Rule = ({ view, baseline }) => {
  const { run, payments } = view;
  if (run.exitCode !== 0 || run.stoppedFor !== null) return null;
  const requests = run.requests.filter(({ fault }) => fault !== null).map(({ number }) => number);
  const madeCount = ({ fingerprint }: CleanPayment): number =>
    payments.get(fingerprint)?.operations.length ?? 0;
  const replacements = strangePayments(view, baseline).flatMap(({ operations }) => operations);
  const unmadePayment = firstUnreplaced(
    baseline,
    replacements.length,
    (payment) => payment.minMade - madeCount(payment),
  );
  if (unmadePayment !== null) {
    const { route, label, minMade } = unmadePayment;
    return {
      why: `The command ended with 0, but a payment of the clean run was not made (${route}-${label}: ${String(madeCount(unmadePayment))} of ${String(minMade)}).`,
      requests,
    };
  }
  const waitingPayment = [...baseline.payments.values()].find(
    ({ fingerprint, maxAwaitingCode, minConfirmed }) => {
      const operations = payments.get(fingerprint)?.operations ?? [];
      const waitingCount = operations.filter(({ reason }) => reason === 'awaiting_code').length;
      return waitingCount > maxAwaitingCode && countConfirmed(operations) < minConfirmed;
    },
  );
  if (waitingPayment === undefined) return null;
  return {
    why: `The command ended with 0, but a payment that is confirmed in a clean run still waits for a code (${waitingPayment.route}-${waitingPayment.label}).`,
    requests,
  };
};

function firstUnreplaced(
  baseline: Baseline,
  replacementCount: number,
  missingCountOf: (payment: CleanPayment) => number,
): CleanPayment | null {
  let replacementsLeft = replacementCount;
  for (const payment of baseline.payments.values()) {
    const missingCount = Math.max(0, missingCountOf(payment));
    if (missingCount > replacementsLeft) return payment;
    replacementsLeft -= missingCount;
  }
  return null;
}

function countConfirmed(operations: readonly SeenOperation[]): number {
  return operations.filter(({ status }) => status === 'confirmed').length;
}

/** The severity is `should` if the command did not know that a pending payment failed later. */
export const saysDoneFailed: Rule = ({ view, baseline }) => {
  if (view.run.exitCode !== 0 || view.run.stoppedFor !== null) return null;
  const failures = knownFailures(view.run);
  const hits = view.run.requests.filter(({ fault }) => fault === 'pending-declined');
  const isHit = ({ id, scope }: SeenOperation): boolean =>
    hits.some((hit) => (hit.madeId ?? hit.operation) === id && hit.scope === scope);
  const operationsOf = ({ fingerprint }: CleanPayment): SeenOperation[] =>
    view.payments.get(fingerprint)?.operations ?? [];
  const failuresOf = (payment: CleanPayment): SeenOperation[] =>
    operationsOf(payment).filter((operation) => failures.has(operation) || isHit(operation));
  const replacements = strangePayments(view, baseline).flatMap(({ operations }) => operations);
  const failedPayment = firstUnreplaced(baseline, countConfirmed(replacements), (payment) =>
    Math.min(payment.minConfirmed - countConfirmed(operationsOf(payment)), failuresOf(payment).length),
  );
  if (failedPayment === null) return null;
  const failedOperations = failuresOf(failedPayment);
  const isKnown = failedOperations.some((operation) => failures.has(operation));
  return {
    why: `The command ended with 0, but a payment that is confirmed in a clean run ${isKnown ? 'failed' : 'was pending and failed later'} (${failedPayment.route}-${failedPayment.label}).`,
    requests: failedOperations.map(({ requestNumber }) => requestNumber),
    severity: isKnown ? 'must' : 'should',
  };
};

export const ends: Rule = ({ view: { run }, baseline }) => {
  if (run.stoppedFor === null || run.stoppedFor === 'gave_up') return null;
  const requests = run.requests.flatMap(({ fault, number }) => (fault === 'silent' ? [number] : []));
  const waitHint = requests.length > 0 ? ' It got no answer. If it waits longer for one, raise --limit.' : '';
  const countText = counted(run.requests.length, 'request');
  const what = {
    time: `The command did not end, and was stopped after ${String(Math.round(run.tookMs / 1000))} s.${waitHint}`,
    requests: `The command was stopped after ${countText}.`,
    rate: `The command was stopped after ${countText}: 500 of them in one second.`,
  }[run.stoppedFor];
  return { why: `${what} A clean run sends ${counted(baseline.requests, 'request')}.`, requests };
};

export const tolerant: Rule = ({ view: { run } }) => {
  const row = CLIENT_FAULTS.find(({ id }) => id === run.caseId);
  const isWholeRun = row?.on.some((place: FaultPlace) => place === 'run') === true;
  if (!isWholeRun || run.exitCode === 0 || run.stoppedFor !== null) return null;
  return {
    why: `The command ended with exit code ${String(run.exitCode)}. A clean run ends with 0.`,
    requests: [],
  };
};
