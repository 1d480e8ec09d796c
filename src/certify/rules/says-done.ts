/** The command ends with 0 only where each payment of the clean run is there, and none waits for a code that nobody will send (section 1). */
import type { Breach, Rule, RuleFacts } from '../rule.js';
import { strangePayments } from './paid-once.js';

export const saysDone: Rule = (facts) => {
  if (facts.view.run.exitCode !== 0 || facts.view.run.stoppedFor !== null) return null;
  return missing(facts) ?? waiting(facts);
};

/** A payment that was refused and replaced by another one is not missing. */
function missing({ view, clean }: RuleFacts): Breach | null {
  let replaced = strangePayments(view, clean).reduce((sum, { operations }) => sum + operations.length, 0);
  for (const { fingerprint, route, made, label } of clean.payments.values()) {
    const now = view.payments.get(fingerprint)?.operations.length ?? 0;
    const short = Math.max(0, made - now);
    if (short <= replaced) {
      replaced -= short;
      continue;
    }
    return {
      why: `The command ended with 0, but a payment of the clean run was not made (${route}-${label}: ${String(now)} of ${String(made)}).`,
      requests: spoiled({ view, clean }),
    };
  }
  return null;
}

function waiting({ view, clean }: RuleFacts): Breach | null {
  for (const { fingerprint, route, label, awaitingCode, confirmed } of clean.payments.values()) {
    const operations = view.payments.get(fingerprint)?.operations ?? [];
    const left = operations.filter(({ reason }) => reason === 'awaiting_code');
    const paid = operations.filter(({ status }) => status === 'confirmed').length;
    if (left.length <= awaitingCode || paid >= confirmed) continue;
    return {
      why: `The command ended with 0, but a payment that is confirmed in a clean run still waits for a code (${route}-${label}).`,
      requests: spoiled({ view, clean }),
    };
  }
  return null;
}

/** The requests that met the fault. */
function spoiled({ view }: RuleFacts): number[] {
  return view.run.requests.filter(({ fault }) => fault !== null).map(({ number }) => number);
}
