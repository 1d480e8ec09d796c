/** Holds a run against the clean ones: every rule, each at most once, with what explains it. Pure. */
import { CLIENT_RULES, type ClientRule } from './cases/client-rules.js';
import { withCauses } from './causes.js';
import type { BrokenRule, Clean, ClientCase } from './client-exam.js';
import type { Rule } from './rule.js';
import { codeOnce } from './rules/code-once.js';
import { ends } from './rules/ends.js';
import { lookFirst } from './rules/look-first.js';
import { noRepeat4xx } from './rules/no-repeat-4xx.js';
import { paidOnce, strangePayments } from './rules/paid-once.js';
import { retryAfter } from './rules/retry-after.js';
import { sameBody } from './rules/same-body.js';
import { sameBytes } from './rules/same-bytes.js';
import { sameKey } from './rules/same-key.js';
import { saysDone } from './rules/says-done.js';
import { saysDoneFailed } from './rules/says-done-failed.js';
import { tolerant } from './rules/tolerant.js';
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

/** The rules that a run breaks, the cause first. @param rules those that are asked */
export function judgeRun(run: SeenRun, clean: Clean, rules: ClientRules = RULES): BrokenRule[] {
  const facts = { view: runViewOf(run, clean.changing), clean };
  const broken = CLIENT_RULES.flatMap(({ id, severity, section }) => {
    const breach = rules[id]?.(facts) ?? null;
    return breach === null ? [] : [{ rule: id, section, ...{ severity, ...breach } }];
  });
  return withCauses(broken);
}

/** ClientRules that rest on how the command ended: a port that is taken, or a machine that is slow, looks the same. */
const RESTS_ON_END: readonly ClientRule[] = ['tolerant', 'ends', 'says-done'];

/** Whether a run that had others beside it is done once more, alone, before it counts. */
export function isDoubtful(run: SeenRun, theCase: ClientCase, broken: readonly BrokenRule[]): boolean {
  return (theCase.at !== null && run.hits === 0) || broken.some(({ rule }) => RESTS_ON_END.includes(rule));
}

/**
 * Whether a run made a payment that no clean run makes: then one more clean run, given to `relearn`, says whether that changes by
 * itself.
 */
export function isStrange(run: SeenRun, clean: Clean): boolean {
  return strangePayments(runViewOf(run, clean.changing), clean).length > 0;
}
