/** Which broken rule of a run is the cause, and which stand beneath it; and what several runs say together. Pure. */
import type { ClientRule } from './cases/client-rules.js';
import type { BrokenRule } from './client-exam.js';

/** The first of them that a run breaks explains the rest: what comes after it is what one mistake leads to. */
const CAUSES: readonly ClientRule[] = ['same-body', 'same-key', 'look-first', 'paid-once', 'no-repeat-4xx'];

/** The same, the cause first. What should be explains nothing that must be. */
export function withCauses(broken: readonly Omit<BrokenRule, 'andSo'>[]): BrokenRule[] {
  const of = (severity: BrokenRule['severity']): ClientRule | undefined =>
    CAUSES.find((rule) => broken.some((one) => one.rule === rule && one.severity === severity));
  const hasMust = broken.some(({ severity }) => severity === 'must');
  const cause = of('must') ?? (hasMust ? undefined : of('should'));
  const isBeneath = ({ rule }: { rule: ClientRule }): boolean => cause !== undefined && rule !== cause;
  const found = broken.map((one) => ({ ...one, andSo: isBeneath(one) }));
  return [...found.filter(({ andSo }) => !andSo), ...found.filter(({ andSo }) => andSo)];
}

/**
 * What the broken rules of all runs say together; null where that is nothing more. A runner that repeats failed tests sends a payment
 * with a new key, and what was refused, too: nobody can tell it from a command that does so.
 */
export function likelyReason(all: readonly BrokenRule[]): string | null {
  const has = (rule: ClientRule): boolean => all.some((one) => one.rule === rule);
  return has('same-key') && has('no-repeat-4xx')
    ? 'If your test runner repeats tests that fail, switch that off: it looks the same.'
    : null;
}
