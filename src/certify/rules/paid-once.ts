/** Money leaves as often as in a clean run: no payment more often, and none that a clean run does not make (section 4). */
import { counted } from '../../contract/on-screen.js';
import { isAsInClean, totalOf, type ScopeCounts } from '../allowance.js';
import type { Clean } from '../client-exam.js';
import type { Breach, Rule, RuleFacts } from '../rule.js';
import type { SeenPayment, RunView } from '../run-view.js';
import type { SeenOperation } from '../seen.js';

export const paidOnce: Rule = (facts) => paidAgain(facts) ?? paidStrangely(facts);

function paidAgain({ view, clean }: RuleFacts): Breach | null {
  for (const payment of view.payments.values()) {
    const known = knownOf(payment, clean);
    if (known.length === 0 || isAsInClean(countsOf(payment), known.map(countsOf))) continue;
    const alive = payment.operations.filter(({ status }) => status !== 'failed');
    const usual = Math.max(...known.map(({ operations }) => operations.length));
    return {
      why: `The run made ${counted(payment.operations.length, 'operation')}, and a clean run makes ${String(usual)}: ${named(alive)}.`,
      requests: payment.operations.map(({ request }) => request),
    };
  }
  return null;
}

/** As many as were refused, or failed, may be replaced by others: that is a new payment, and not the same one again. */
function paidStrangely({ view, clean }: RuleFacts): Breach | null {
  const strange = strangePayments(view, clean);
  const made = strange.flatMap(({ operations }) => operations.filter(({ status }) => status !== 'failed'));
  if (made.length <= replaceable(view, clean)) return null;
  const [first] = strange;
  return {
    why: `The run made a payment that no clean run makes (${first?.route ?? 'a create'}): ${named(made)}.`,
    requests: made.map(({ request }) => request),
  };
}

function knownOf({ fingerprint }: SeenPayment, { views }: Clean): SeenPayment[] {
  return views.flatMap(({ payments }) => payments.get(fingerprint) ?? []);
}

/** The payments of a run that are in no clean one. */
export function strangePayments({ payments }: RunView, clean: Clean): SeenPayment[] {
  return [...payments.values()].filter((payment) => knownOf(payment, clean).length === 0);
}

/** How many payments the command was told have failed, or were refused, beyond the clean run, and that it has not repeated. */
function replaceable({ payments }: RunView, clean: Clean): number {
  return [...payments.values()].reduce((sum, payment) => {
    const [its = { all: 0, over: 0 }] = knownOf(payment, clean).map(keysOf);
    const mine = keysOf(payment);
    const isStrange = knownOf(payment, clean).length === 0;
    const repeated = isStrange ? 0 : Math.max(0, mine.all - its.all);
    return sum + Math.max(0, mine.over - its.over - repeated);
  }, 0);
}

function keysOf({ keys }: SeenPayment): { all: number; over: number } {
  return { all: keys.length, over: keys.filter(({ isOver }) => isOver).length };
}

/** Of each scope. */
function countsOf({ operations }: SeenPayment): ScopeCounts {
  return [...new Set(operations.map(({ scope }) => scope))].map((scope) =>
    totalOf(operations.filter((one) => one.scope === scope).map(({ status }) => countOf(status))),
  );
}

function countOf(status: string): { all: number; over: number } {
  return { all: 1, over: status === 'failed' ? 1 : 0 };
}

function named(operations: readonly SeenOperation[]): string {
  return operations.map(({ id }) => id.slice(0, 8)).join(', ');
}
