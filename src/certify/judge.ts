/** Checks whether a run keeps each rule, compared with the clean runs, and finds the cause among the broken rules. Pure. */
import { CLIENT_RULES, type ClientRule } from './cases/client-rules.js';
import type { BrokenRule, Clean } from './client-exam.js';
import type { Severity } from './report.js';
import type { Rule } from './rule.js';
import { codeOnce, lookFirst } from './rules/actions.js';
import { sameBody, sameBytes, sameKey } from './rules/keys.js';
import { ends, paidOnce, saysDone, saysDoneFailed, strangePayments, tolerant } from './rules/outcome.js';
import { noRepeat4xx, retryAfter } from './rules/repeats.js';
import { runViewOf } from './run-view.js';
import type { SeenRun } from './seen.js';

export type ClientRules = Readonly<Partial<Record<ClientRule, Rule>>>;

export const RULES = {
  'same-body': sameBody,
  'same-key': sameKey,
  'look-first': lookFirst,
  'paid-once': paidOnce,
  'no-repeat-4xx': noRepeat4xx,
  'code-once': codeOnce,
  'says-done': saysDone,
  'says-done-failed': saysDoneFailed,
  'same-bytes': sameBytes,
  'retry-after': retryAfter,
  ends,
  tolerant,
} as const satisfies Required<ClientRules>;

/** The first of these rules that a run breaks explains all other broken rules: they follow from the same mistake. */
const CAUSES: readonly ClientRule[] = ['same-body', 'same-key', 'look-first', 'paid-once', 'no-repeat-4xx'];

/** The rules that a run breaks, the cause first. A broken `should` explains no broken `must`. @param rules the rules to check */
export function judgeRun(run: SeenRun, clean: Clean, rules: ClientRules = RULES): BrokenRule[] {
  const facts = { view: runViewOf(run, clean.changing), clean };
  const broken = CLIENT_RULES.flatMap(({ id, severity, section }) => {
    const breach = rules[id]?.(facts) ?? null;
    return breach === null ? [] : [{ rule: id, section, ...{ severity, ...breach } }];
  });
  const firstOf = (severity: Severity): ClientRule | undefined =>
    CAUSES.find((rule) => broken.some((one) => one.rule === rule && one.severity === severity));
  const hasMust = broken.some(({ severity }) => severity === 'must');
  const cause = firstOf('must') ?? (hasMust ? undefined : firstOf('should'));
  const all = broken.map((one) => ({ ...one, andSo: cause !== undefined && one.rule !== cause }));
  return [...all.filter(({ andSo }) => !andSo), ...all.filter(({ andSo }) => andSo)];
}

/** True if the run made a payment that no clean run makes. */
export function hasStrangePayment(run: SeenRun, clean: Clean): boolean {
  return strangePayments(runViewOf(run, clean.changing), clean).length > 0;
}

/**
 * Guesses a reason from the broken rules of all runs. A test runner that repeats failed tests sends a payment again with a new key, and a
 * refused request again. The requests alone do not show who repeated them, the test runner or the command.
 */
export function likelyReason(all: readonly BrokenRule[]): string | null {
  const has = (rule: ClientRule): boolean => all.some((one) => one.rule === rule);
  return has('same-key') && has('no-repeat-4xx')
    ? 'If your test runner repeats tests that fail, switch that off: it looks the same.'
    : null;
}
