import type { RetryClass, EndpointId } from './endpoints.js';
import type { ErrorEnvelope } from './errors.js';
import type { OperationFacts } from './operation-facts.js';

export interface Answer {
  readonly status: number;
  /** A header's name may be in upper or lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

export type NoAnswerReason =
  | 'name'
  | 'connect'
  | 'tls'
  | 'reset'
  | 'timeout'
  | 'truncated'
  | 'too_large'
  | 'encoding'
  | 'malformed'
  /** The request waited for its turn until it was too late to send it. */
  | 'late'
  | 'aborted';

interface AnsweredAttempt {
  readonly answer: Answer;
  readonly retryAfterMs: number | null;
}

interface RefusedAttempt extends AnsweredAttempt {
  readonly error: ErrorEnvelope['error'] | null;
}

export type Attempt =
  /** A 2xx with the body that the contract promises. */
  | ({
      readonly kind: 'success';
      readonly operation: OperationFacts | null;
      readonly value: unknown;
      /** True if svc already has this operation for another request with the same reference. */
      readonly isHeldElsewhere?: boolean;
      /** True if svc has stored a different final status for this operation. */
      readonly isContradicted?: boolean;
    } & AnsweredAttempt)
  /** A 2xx with another operation than the requested one: the service may have carried out the request. */
  | ({
      readonly kind: 'mismatched';
      readonly operation: OperationFacts;
      readonly why: string;
    } & AnsweredAttempt)
  /** The service refused the request (400, 401, 403, 404, 409). A create is refused only by an error that the contract lists for it. */
  | ({ readonly kind: 'refused' } & RefusedAttempt)
  /** The service refused the request for now, with 429, or with 503 and the error envelope. */
  | ({ readonly kind: 'unavailable' } & RefusedAttempt)
  /** A 5xx that is not `unavailable`. The service may have carried out the request. */
  | ({ readonly kind: 'server_error' } & RefusedAttempt)
  /** The contract does not allow this answer. A create may still have made a payment. */
  | ({ readonly kind: 'broken' } & RefusedAttempt)
  /** A 2xx without the body that the contract promises, or an unknown status. The service may have carried out the request. */
  | ({ readonly kind: 'unreadable'; readonly why: string } & AnsweredAttempt)
  /** The request was sent, and no complete answer came: the service may have carried it out. */
  | { readonly kind: 'lost'; readonly reason: NoAnswerReason; readonly message: string }
  /** No byte of the request was sent. */
  | { readonly kind: 'not_sent'; readonly reason: NoAnswerReason; readonly message: string };

export type AttemptKind = Attempt['kind'];

const UNKNOWN_KINDS: ReadonlySet<AttemptKind> = new Set(['lost', 'unreadable', 'server_error', 'mismatched']);

/**
 * True if the attempt does not show whether the service carried out the request. The service may make a payment before it sends a `broken` answer.
 */
export function isUnknown({ kind }: Attempt, retry: RetryClass): boolean {
  return UNKNOWN_KINDS.has(kind) || (kind === 'broken' && retry === 'keyed');
}

export function isLimited(attempt: Attempt): boolean {
  return attempt.kind === 'unavailable' && attempt.answer.status === 429;
}

export function isDenied(attempt: Attempt): boolean {
  return attempt.kind === 'refused' && (attempt.answer.status === 401 || attempt.answer.status === 403);
}

/** The 404 of a gateway does not count. */
export function isNotFound(attempt: Attempt): boolean {
  return attempt.kind === 'refused' && attempt.answer.status === 404 && attempt.error?.code === 'not_found';
}

/** Includes a valid answer that svc does not read, because it is too large or encoded. */
export function isMalformed(reason: NoAnswerReason): boolean {
  return reason === 'malformed' || reason === 'too_large' || reason === 'encoding';
}

export function answerOf(attempt: Attempt | null | undefined): Answer | null {
  return attempt !== null && attempt !== undefined && 'answer' in attempt ? attempt.answer : null;
}

export interface CreateFacts {
  /** The earliest time by the service's clock at which the request may have been sent. */
  readonly firstLeftMs: number | null;
  /** True if the caller chose the idempotency key. The answer may then have an older operation. */
  readonly isOwnKey: boolean;
}

export interface CallAttempts {
  /** Null if the path is not in the table of endpoints. */
  readonly endpointId: EndpointId | null;
  readonly retry: RetryClass;
  readonly id: string | null;
  readonly idempotencyKey: string | null;
  readonly attempts: readonly Attempt[];
  readonly create: CreateFacts | null;
  /** The one GET of the operation after a `once` call with an unknown outcome. */
  readonly lookup: Attempt | null;
}

export const KEY_REUSED = 'idempotency_key_reused';

export function isReused(attempt: Attempt): boolean {
  return attempt.kind === 'refused' && attempt.answer.status === 409 && attempt.error?.code === KEY_REUSED;
}
