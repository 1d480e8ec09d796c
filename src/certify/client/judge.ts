import type { Baseline } from './baseline.js';
import type { Severity } from '../report/report.js';
import type { Breach, Rule } from './rule.js';
import { codeOnce, lookFirst } from './rules/actions.js';
import { sameBody, sameBytes, sameKey } from './rules/keys.js';
import { ends, paidOnce, saysDone, saysDoneFailed, strangePayments, tolerant } from './rules/outcome.js';
import { noRepeat4xx, retryAfter } from './rules/repeats.js';
import { runViewOf } from './run-view.js';
import type { SeenRun } from './request-seen.js';

const ruleOf =
  (severity: Severity) =>
  <const Id extends string>(id: Id, section: string, title: string, check: Rule) =>
    ({ id, severity, section, title, check }) as const;
const must = ruleOf('must');
const should = ruleOf('should');

export const CLIENT_RULES = [
  must('same-body', '4', 'a key comes with one body only', sameBody),
  must('same-key', '4', 'a payment that may have been made is repeated with the same key', sameKey),
  must(
    'look-first',
    '4',
    'confirm, resend and cancel are repeated only after a look at the operation',
    lookFirst,
  ),
  must('paid-once', '4', 'no payment is made more often than in a clean run', paidOnce),
  must('no-repeat-4xx', '5, 7', 'a refused request is not sent again unchanged', noRepeat4xx),
  must(
    'code-once',
    '3, 8',
    'a code, resend or cancel that the operation no longer waits for is not sent again',
    codeOnce,
  ),
  must('says-done', '1', 'the command ends with 0 only if every payment was made', saysDone),
  must('says-done-failed', '1, 7', 'the command does not end with 0 if a payment failed', saysDoneFailed),
  should('same-bytes', '4', 'a request is repeated with the same bytes', sameBytes),
  should('retry-after', '4', 'a request is not repeated before Retry-After', retryAfter),
  must('ends', '', 'the command ends, and does not flood the service', ends),
  should('tolerant', '9', 'unknown members, and deliveries in any order, do no harm', tolerant),
] as const;

export type ClientRule = (typeof CLIENT_RULES)[number]['id'];

export interface BrokenRule extends Required<Breach> {
  readonly rule: ClientRule;
  readonly section: string;
  readonly isExplained: boolean;
}

/** The first of these rules that a run breaks explains the other broken rules of the run. */
const CAUSES: readonly ClientRule[] = ['same-body', 'same-key', 'look-first', 'paid-once', 'no-repeat-4xx'];

export function judgeRun(
  run: SeenRun,
  baseline: Baseline,
  rules: readonly (typeof CLIENT_RULES)[number][] = CLIENT_RULES,
): BrokenRule[] {
  const facts = { view: runViewOf(run, baseline.changing), baseline };
  const breaches = rules.flatMap(({ id, severity, section, check }) => {
    const breach = check(facts);
    return breach === null ? [] : [{ rule: id, section, ...{ severity, ...breach } }];
  });
  const firstCause = (severity: Severity): ClientRule | undefined =>
    CAUSES.find((rule) => breaches.some((one) => one.rule === rule && one.severity === severity));
  const hasMust = breaches.some(({ severity }) => severity === 'must');
  const cause = firstCause('must') ?? (hasMust ? undefined : firstCause('should'));
  const all = breaches.map((one) => ({ ...one, isExplained: cause !== undefined && one.rule !== cause }));
  return [...all.filter(({ isExplained }) => !isExplained), ...all.filter(({ isExplained }) => isExplained)];
}

export function hasStrangePayment(run: SeenRun, baseline: Baseline): boolean {
  return strangePayments(runViewOf(run, baseline.changing), baseline).length > 0;
}

export function likelyReason(all: readonly BrokenRule[]): string | null {
  const has = (rule: ClientRule): boolean => all.some((one) => one.rule === rule);
  return has('same-key') && has('no-repeat-4xx')
    ? 'If your test runner repeats tests that fail, switch that off: it looks the same.'
    : null;
}
