/** A refusal names no file, flag or variable that lifts the rule, because a program that reads the refusal must not lift the rule. */
import type { Refusal } from './decision.js';
import type { Lock } from './lock.js';
import { escapeText } from '../../output/escape.js';
import { Failure } from '../../runtime/failure.js';

export function refusalFailure(refusal: Refusal): Failure {
  const { code, field, cause, contact } = refusal;
  const contactText = contact === null ? '' : ` Who decides: ${escapedText(contact)}`;
  const head = `${refusalText(refusal)} Nothing was sent.${nextStep(code)}${contactText}`;
  return new Failure('unsafe', head, { code, outcome: 'not_sent', details: [{ field, code: cause }] });
}

export function lockedFailure(lock: Lock): Failure {
  return refusalFailure({
    ...{ kind: 'refused', code: 'locked', field: 'lock', cause: 'not_allowed' },
    ...{ refusedValue: null, limit: lock, contact: null },
  });
}

function refusalText(refusal: Refusal): string {
  const { code, field, refusedValue, limit } = refusal;
  switch (code) {
    case 'locked':
      return limit === 'read-only'
        ? 'Refused by the lock of this session, read-only: live, it may only read.'
        : 'Refused by the lock of this session, sandbox: it may only use the sandbox.';
    case 'policy_untrusted':
      return "Refused: this machine's policy may not be the administrator's, so only reads are sent live.";
    case 'policy_unreadable':
      return "Refused: svc cannot read this machine's policy, so only reads are sent live.";
    case 'policy_newer':
      return "Refused: this machine's policy is written for a newer svc, so only reads are sent live.";
    case 'time_unknown':
      return `${REFUSED_BY_POLICY} ${nounOf(field)} may begin ${escapedText(limit)}, and the service does not say what time it is.`;
    case 'approvals_missing':
      return `${REFUSED_BY_POLICY} ${nounOf(field)} need ${limit === '1' ? '1 approval' : `${escapedText(limit)} approvals`}, and this has ${refusedValue === '0' ? 'none' : escapedText(refusedValue)}.`;
    case 'policy_refused':
      return `${REFUSED_BY_POLICY} ${clauseOf(refusal)}.`;
  }
}

const REFUSED_BY_POLICY = "Refused by this machine's policy:";

function clauseOf({ field, cause, refusedValue, limit }: Refusal): string {
  const [section = '', ...rule] = field.split('.');
  const ruleName = rule.at(-1) ?? '';
  const [value, maximum] = [escapedText(refusedValue), escapedText(limit)];
  const nounInCurrency = `${nounOf(field)} in ${escapedText(rule[1] ?? '')}`;
  switch (rule.length === 0 ? section : ruleName) {
    case 'request':
      return 'only reads and requests that svc knows are sent live';
    case 'addresses':
      return `live requests may go to ${maximum}, and not to ${value}`;
    case 'webhooks':
      return 'webhooks may not be registered live';
    case 'body':
      return `the body ${value}`;
    case 'allow':
      return limit === 'cancel'
        ? `${nounOf(field)} may only be read and cancelled`
        : `${nounOf(field)} may only be read`;
    case 'amount':
      return refusedValue === null
        ? 'the body has no plain amount'
        : `the amount must be plain and above zero, and this is ${value}`;
    case 'currency':
      return 'the body has no currency';
    case 'methods':
      return `${nounOf(field)} may use ${maximum}, and this ${refusedValue === null ? 'names no method' : `is ${value}`}`;
    case 'currencies':
      return `${nounOf(field)} may be in ${maximum}, and this is in ${value}`;
    case 'operation_max':
      return `${nounInCurrency} may be at most ${maximum} each, and this is ${value}`;
    case 'batch_max':
      return `a batch of ${nounInCurrency} may be at most ${maximum}, and this is ${value}`;
    case 'hours':
      return `${nounOf(field)} may begin ${maximum}, and it is ${value} there`;
    default:
      return `${escapedText(field)} (${cause})`;
  }
}

function nounOf(field: string): string {
  return field.startsWith('payins') ? 'pay-ins' : 'payouts';
}

function nextStep(code: Refusal['code']): string {
  if (code === 'approvals_missing')
    return ' Other people approve a plan: "svc payouts batch FILE --plan PLAN" writes one, and sends nothing.';
  const isUnusable = code === 'policy_untrusted' || code === 'policy_unreadable' || code === 'policy_newer';
  return isUnusable ? ' "svc doctor" says why.' : '';
}

function escapedText(text: string | null): string {
  return escapeText(text ?? '');
}
