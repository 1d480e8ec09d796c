/** What is wrong with the state of an operation, in words: what happened, what it means for the money, and what to do. Pure. */
import type { Detail } from '../contract/errors.js';
import { headerOf, type HttpAnswer } from '../runtime/transport.js';
import type { Outcome } from './attempt.js';

export interface Explanation {
  /** The service's code where it gave one (section 7), a failure's code, or one of ours. */
  readonly code: string;
  readonly message: string;
  /** One for each offending field; null where the service named none. */
  readonly details: readonly Detail[] | null;
  /** The HTTP status of the answer that counts; null where there is none. */
  readonly status: number | null;
  /** What the service or a gateway calls this request, where it says so. */
  readonly requestId: string | null;
}

/** Puts an explanation together with what the answer says about itself. */
export function explanation(
  code: string,
  message: string,
  answer: HttpAnswer | null,
  details: readonly Detail[] | null = null,
): Explanation {
  const requestId = answer === null ? undefined : headerOf(answer, 'x-request-id');
  return { code, message, details, status: answer?.status ?? null, requestId: requestId ?? null };
}

/** The operation exists and did not go through (section 7). */
export function explainFailed(operation: Outcome, answer: HttpAnswer): Explanation {
  const { code = 'failed', message = '', reason = null } = operation.failure ?? {};
  const why = message === '' ? (reason ?? code) : message;
  const text = `The operation ${operation.id} failed: ${why} It is final: trying again takes a new operation.`;
  return explanation(code, text, answer);
}

/** Still pending where somebody waited for the end. */
export function explainPending(operation: Outcome, answer: HttpAnswer): Explanation {
  return operation.pending_reason === 'awaiting_code'
    ? explanation('awaiting_code', `The operation ${operation.id} waits for the payer's code.`, answer)
    : explanation('still_pending', `The operation ${operation.id} is still ${operation.status}.`, answer);
}

/** A cancel that was answered with success and an operation that is not cancelled. */
export function explainNotCarriedOut(operation: Outcome, answer: HttpAnswer): Explanation {
  const text = `The cancel was answered, but the operation ${operation.id} is ${operation.status}. Look it up.`;
  return explanation('contract_broken', text, answer);
}

/** The answer was lost, and the lookup shows a state in which the call can do nothing any more. */
export function explainMoot(code: string, operation: Outcome, answer: HttpAnswer): Explanation {
  const text = `The answer was lost; the operation ${operation.id} is ${operation.status}, so this no longer applies.`;
  return explanation(code, text, answer);
}
