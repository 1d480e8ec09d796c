/** The command does not end with 0 where it was told that a payment failed which a clean run has confirmed (sections 1 and 7). */
import type { Rule } from '../rule.js';
import { failuresTold } from '../run-view.js';
import { strangePayments } from './paid-once.js';

export const saysDoneFailed: Rule = ({ view, clean }) => {
  if (view.run.exitCode !== 0 || view.run.stoppedFor !== null) return null;
  const told = failuresTold(view.run);
  let replaced = strangePayments(view, clean)
    .flatMap(({ operations }) => operations)
    .filter(({ status }) => status === 'confirmed').length;
  for (const { fingerprint, route, label, confirmed } of clean.payments.values()) {
    const operations = view.payments.get(fingerprint)?.operations ?? [];
    const paid = operations.filter(({ status }) => status === 'confirmed').length;
    const failed = operations.filter((operation) => told.has(operation));
    const short = Math.min(Math.max(0, confirmed - paid), failed.length);
    if (short <= replaced) {
      replaced -= short;
      continue;
    }
    return {
      why: `The command ended with 0, but a payment failed that is confirmed in a clean run (${route}-${label}).`,
      requests: failed.map(({ request }) => request),
    };
  }
  return null;
};
