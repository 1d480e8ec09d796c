/** Rules for the result of a run: what was paid, the exit code, and whether the command ended at all (sections 1, 4, 7 and 9). */
import { counted } from '../../contract/on-screen.js';
import { scopeCounts, isWithinClean, type ScopeCounts } from '../repetition.js';
import { CLIENT_FAULTS, type FaultPlace } from '../cases/client-faults.js';
import type { Clean, CleanPayment } from '../client-exam.js';
import type { Breach, Rule, RuleFacts } from '../rule.js';
import { knownFailures, type SeenPayment, type RunView } from '../run-view.js';
import type { SeenOperation, StoppedFor } from '../seen.js';

/** No payment may be made more often than in a clean run. A payment that no clean run makes may only replace a refused or failed payment. */
export const paidOnce: Rule = (facts) => findExtraPayment(facts) ?? findStrangePayment(facts);

function findExtraPayment({ view, clean }: RuleFacts): Breach | null {
  for (const payment of view.payments.values()) {
    const cleanPayments = cleanPaymentsLike(payment, clean);
    const cleanCounts = cleanPayments.map(operationCounts);
    if (cleanCounts.length === 0 || isWithinClean(operationCounts(payment), cleanCounts)) continue;
    const unfailed = payment.operations.filter(({ status }) => status !== 'failed');
    const usualCount = Math.max(...cleanPayments.map(({ operations }) => operations.length));
    return {
      why: `The run made ${counted(payment.operations.length, 'operation')}, and a clean run makes ${String(usualCount)}: ${idWords(unfailed)}.`,
      requests: payment.operations.map(({ request }) => request),
    };
  }
  return null;
}

/** Finds a payment that no clean run makes, and that replaces no refused or failed payment. */
function findStrangePayment({ view, clean }: RuleFacts): Breach | null {
  const payments = strangePayments(view, clean);
  const operations = payments.flatMap(({ operations }) =>
    operations.filter(({ status }) => status !== 'failed'),
  );
  if (operations.length <= countReplaceable(view, clean)) return null;
  const [first] = payments;
  return {
    why: `The run made a payment that no clean run makes (${first?.route ?? 'a create'}): ${idWords(operations)}.`,
    requests: operations.map(({ request }) => request),
  };
}

function cleanPaymentsLike({ fingerprint }: SeenPayment, { views }: Clean): SeenPayment[] {
  return views.flatMap(({ payments }) => payments.get(fingerprint) ?? []);
}

/** The payments of the run that no clean run makes. */
export function strangePayments({ payments }: RunView, clean: Clean): SeenPayment[] {
  return [...payments.values()].filter((payment) => cleanPaymentsLike(payment, clean).length === 0);
}

/** Counts the keys of which the command knows that they made no payment, beyond those of a clean run and those that the same payment replaced. */
function countReplaceable({ payments }: RunView, clean: Clean): number {
  return [...payments.values()].reduce((sum, payment) => {
    const [its = { all: 0, unpaid: 0 }] = cleanPaymentsLike(payment, clean).map(keysOf);
    const mine = keysOf(payment);
    const isStrange = cleanPaymentsLike(payment, clean).length === 0;
    const repeated = isStrange ? 0 : Math.max(0, mine.all - its.all);
    return sum + Math.max(0, mine.unpaid - its.unpaid - repeated);
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

/** The command may end with 0 only if it made each payment of a clean run or a replacement, and no payment that a clean run confirms still waits for its code. */
export const saysDone: Rule = ({ view, clean }) => {
  const { run, payments } = view;
  if (run.exitCode !== 0 || run.stoppedFor !== null) return null;
  const requests = run.requests.filter(({ fault }) => fault !== null).map(({ number }) => number);
  const madeCount = ({ fingerprint }: CleanPayment): number =>
    payments.get(fingerprint)?.operations.length ?? 0;
  const replacements = strangePayments(view, clean).flatMap(({ operations }) => operations);
  const unmade = firstUnreplaced(clean, replacements.length, (payment) => payment.made - madeCount(payment));
  if (unmade !== null) {
    const { route, label, made } = unmade;
    return {
      why: `The command ended with 0, but a payment of the clean run was not made (${route}-${label}: ${String(madeCount(unmade))} of ${String(made)}).`,
      requests,
    };
  }
  const waiting = [...clean.payments.values()].find(({ fingerprint, awaitingCode, confirmed }) => {
    const operations = payments.get(fingerprint)?.operations ?? [];
    const waitingCount = operations.filter(({ reason }) => reason === 'awaiting_code').length;
    return waitingCount > awaitingCode && countConfirmed(operations) < confirmed;
  });
  if (waiting === undefined) return null;
  return {
    why: `The command ended with 0, but a payment that is confirmed in a clean run still waits for a code (${waiting.route}-${waiting.label}).`,
    requests,
  };
};

/** Finds the first clean payment that the run lacks more often than it makes replacements: payments of no clean run. */
function firstUnreplaced(
  clean: Clean,
  replacements: number,
  lackOf: (payment: CleanPayment) => number,
): CleanPayment | null {
  let left = replacements;
  for (const payment of clean.payments.values()) {
    const lack = Math.max(0, lackOf(payment));
    if (lack > left) return payment;
    left -= lack;
  }
  return null;
}

function countConfirmed(operations: readonly SeenOperation[]): number {
  return operations.filter(({ status }) => status === 'confirmed').length;
}

/** The command must not end with 0 if a payment that a clean run confirms has failed, and the command knew that. */
export const saysDoneFailed: Rule = ({ view, clean }) => {
  if (view.run.exitCode !== 0 || view.run.stoppedFor !== null) return null;
  const failures = knownFailures(view.run);
  const operationsOf = ({ fingerprint }: CleanPayment): SeenOperation[] =>
    view.payments.get(fingerprint)?.operations ?? [];
  const failuresOf = (payment: CleanPayment): SeenOperation[] =>
    operationsOf(payment).filter((operation) => failures.has(operation));
  const replacements = strangePayments(view, clean).flatMap(({ operations }) => operations);
  const failed = firstUnreplaced(clean, countConfirmed(replacements), (payment) =>
    Math.min(payment.confirmed - countConfirmed(operationsOf(payment)), failuresOf(payment).length),
  );
  if (failed === null) return null;
  return {
    why: `The command ended with 0, but a payment failed that is confirmed in a clean run (${failed.route}-${failed.label}).`,
    requests: failuresOf(failed).map(({ request }) => request),
  };
};

const STOPPED_WORDS: Readonly<Record<StoppedFor, (requests: number, tookMs: number) => string>> = {
  time: (_, tookMs) =>
    `The command did not end, and was stopped after ${String(Math.round(tookMs / 1000))} s.`,
  requests: (requests) => `The command was stopped after ${counted(requests, 'request')}.`,
  rate: (requests) =>
    `The command was stopped after ${counted(requests, 'request')}: 500 of them in one second.`,
};

/** A command must end, whatever the answers are, and must not flood the service. */
export const ends: Rule = ({ view: { run }, clean }) => {
  if (run.stoppedFor === null) return null;
  const what = STOPPED_WORDS[run.stoppedFor](run.requests.length, run.tookMs);
  return { why: `${what} A clean run sends ${counted(clean.requests, 'request')}.`, requests: [] };
};

/** Unknown members and the order of deliveries must not make the command fail. */
export const tolerant: Rule = ({ view: { run } }) => {
  const row = CLIENT_FAULTS.find(({ id }) => id === run.caseId);
  const isWholeRun = row?.on.some((place: FaultPlace) => place === 'run') === true;
  if (!isWholeRun || run.exitCode === 0 || run.stoppedFor !== null) return null;
  return {
    why: `The command ended with exit code ${String(run.exitCode)}. A clean run ends with 0.`,
    requests: [],
  };
};
