import { answerOf, isUnknown, type Attempt, type CallAttempts } from '../contract/attempt.js';
import { endpoint } from '../contract/endpoints.js';
import { ERRORS, type Detail, type ErrorCode } from '../contract/errors.js';
import { momentText } from '../contract/notation.js';
import type { OperationFacts } from '../contract/operation-facts.js';
import { headerOf, type HttpAnswer, redirectOf } from '../runtime/transport.js';
import { isWrongMethod } from './ending.js';

export type Explanation = ReturnType<typeof explanation>;

export function explanation(
  code: string,
  message: string,
  answer: HttpAnswer | null,
  details: readonly Detail[] | null = null,
) {
  const requestId = answer === null ? undefined : headerOf(answer, 'x-request-id');
  return { code, message, details, status: answer?.status ?? null, requestId: requestId ?? null };
}

export function explainFailed(operation: OperationFacts, answer: HttpAnswer): Explanation {
  const why = failureReasonOf(operation) ?? 'failed';
  const text = `The operation ${operation.id} failed: ${why.replace(/[.]$/, '')}. This is final: to try again, create a new operation.`;
  const code = operation.code === null || operation.code === '' ? 'failed' : operation.code;
  return explanation(code, text, answer);
}

export function failureReasonOf({ failureMessage, failureReason, code }: OperationFacts): string | null {
  return [failureMessage, failureReason, code].find((text) => text !== null && text !== '') ?? null;
}

export function explainPending(operation: OperationFacts, answer: HttpAnswer): Explanation {
  return operation.code === 'awaiting_code'
    ? explanation('awaiting_code', `The operation ${operation.id} waits for the payer's code.`, answer)
    : explanation('still_pending', `The operation ${operation.id} is still ${operation.status}.`, answer);
}

const WRONG_METHOD_TEXT = 'This path does not accept this method. Nothing was done.';

export function explainAttempt(attempt: Attempt, call: CallAttempts): Explanation {
  const answer = answerOf(attempt);
  switch (attempt.kind) {
    case 'success':
      return explanation('ok', 'It was carried out.', answer);
    case 'refused':
    case 'unavailable':
    case 'server_error':
      return explainRefusal(attempt, call);
    case 'broken':
      return isWrongMethod(attempt, call)
        ? explanation('method_not_allowed', WRONG_METHOD_TEXT, answer)
        : explanation('contract_broken', brokenText(attempt), answer);
    case 'mismatched':
    case 'unreadable':
      return explanation('contract_broken', `The service broke its contract: ${attempt.why}.`, answer);
    case 'lost': {
      const readText = call.retry === 'safe' ? ' A read changes nothing.' : '';
      const text = `No complete answer arrived: ${attempt.message}.${readText}`;
      return explanation(attempt.reason === 'aborted' ? 'interrupted' : 'no_answer', text, null);
    }
    case 'not_sent': {
      const text = `The service could not be reached: ${attempt.message}. Nothing was sent.`;
      return explanation(attempt.reason === 'aborted' ? 'interrupted' : 'not_sent', text, null);
    }
  }
}

export function explainUnknown(call: CallAttempts): Explanation {
  const attempt = call.attempts.findLast((one) => isUnknown(one, call.retry)) ?? null;
  const lastAttempt = call.attempts.at(-1);
  if (lastAttempt?.kind === 'success' && lastAttempt.operation !== null) {
    const { id, createdAtMs } = lastAttempt.operation;
    const when = createdAtMs === null ? 'at another time' : momentText(createdAtMs);
    const text =
      `The service answered with the operation ${id}, created ${when}: before this request left. ` +
      'It is an older payment. It is not known whether anything new was paid.';
    return explanation('older_payment', text, lastAttempt.answer);
  }
  const parts = [`The outcome is unknown: ${attempt === null ? 'no answer arrived' : causeOf(attempt)}.`];
  if (lastAttempt !== undefined && lastAttempt !== attempt) {
    parts.push(`A later attempt does not settle it: ${causeOf(lastAttempt)}.`);
  }
  if (call.retry === 'keyed') {
    parts.push('Money may have moved. Repeat it with the same key and the same bytes, never with a new key.');
  } else if (call.endpointId === 'webhooks.register') {
    parts.push('It may have been carried out. Register again. The previous secret stays valid for 24 hours.');
  } else {
    parts.push(lookupText(call.lookup));
  }
  return explanation('outcome_unknown', parts.join(' '), answerOf(attempt));
}

const FALLBACK_CODES: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  404: 'not_found',
  409: 'conflict',
  429: 'rate_limited',
};

function explainRefusal(
  attempt: Extract<Attempt, { kind: 'refused' | 'unavailable' | 'server_error' }>,
  call: CallAttempts,
): Explanation {
  const { answer, error } = attempt;
  const code = error?.code ?? FALLBACK_CODES[answer.status] ?? 'server_error';
  const meaning = Object.hasOwn(ERRORS, code) ? `${ERRORS[code as ErrorCode].meaning}.` : '';
  const serviceText = error?.message ?? '';
  const fallback =
    error === null && answer.status === 401
      ? gatewayText(401)
      : meaning || `The service answered ${answer.status}.`;
  const text = serviceText === '' ? fallback : serviceText;
  const scope = call.endpointId === null ? null : endpoint(call.endpointId).scope;
  const isScopeMissing = code === 'scope_missing' && scope !== null;
  const fullText = isScopeMissing ? `${text.replace(/[.]$/, '')}: this needs the scope ${scope}.` : text;
  return explanation(code, fullText, answer, error?.details ?? null);
}

function gatewayText(status: number): string {
  const why = status === 403 ? '' : ': it asks for a login';
  return `A proxy or a gateway on the way answered ${status}, and not the service${why}.`;
}

function brokenText(attempt: Extract<Attempt, { kind: 'broken' }>): string {
  const { status } = attempt.answer;
  const codeText = attempt.error === null ? '' : ` (${attempt.error.code})`;
  if (attempt.error === null && (status === 403 || status === 407)) return gatewayText(status);
  if (status < 400)
    return `The address answered with ${redirectText(attempt.answer)}. svc never follows one.`;
  return `The service broke its contract: it answered ${status}${codeText}. Check the address.`;
}

function redirectText(answer: HttpAnswer): string {
  const target = redirectOf(answer);
  return `a redirect (${answer.status})${target === undefined ? '' : ` to ${target}`}`;
}

function causeOf(attempt: Attempt): string {
  switch (attempt.kind) {
    case 'lost':
    case 'not_sent':
      return attempt.message;
    case 'unreadable':
    case 'mismatched':
      return attempt.why;
    case 'success':
      return 'it succeeded';
    default:
      if (redirectOf(attempt.answer) !== undefined) return `the answer was ${redirectText(attempt.answer)}`;
      return `the answer was ${attempt.answer.status}${attempt.error === null ? '' : ` ${attempt.error.code}`}`;
  }
}

function lookupText(lookup: Attempt | null): string {
  if (lookup?.kind === 'success' && lookup.operation !== null) {
    const { id, status, code } = lookup.operation;
    return `The operation ${id} is ${status}${code === null ? '' : ` (${code})`}: it may still change. Look it up again before anything else.`;
  }
  const why = lookup === null ? '' : ` (lookup: ${causeOf(lookup)})`;
  return `It may have been carried out${why}. Look it up before anything else. Do not repeat it.`;
}
