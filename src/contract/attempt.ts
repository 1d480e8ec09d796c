import type { RetryClass, EndpointId } from './endpoints.js';
import type { ErrorEnvelope } from './errors.js';
import type { OperationFacts } from './operation-facts.js';

export interface Answer {
  readonly status: number;
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
  | ({
      readonly kind: 'success';
      readonly operation: OperationFacts | null;
      readonly value: unknown;
      /** True if svc already has this operation for another request with the same reference. */
      readonly isHeldElsewhere?: boolean;
      readonly isContradicted?: boolean;
    } & AnsweredAttempt)
  /** The answer is a 2xx with an operation that nobody asked for. The service may have carried out the request. */
  | ({
      readonly kind: 'mismatched';
      readonly operation: OperationFacts;
      readonly why: string;
    } & AnsweredAttempt)
  /** A create is refused only by an error that the contract lists for it. */
  | ({ readonly kind: 'refused' } & RefusedAttempt)
  | ({ readonly kind: 'unavailable' } & RefusedAttempt)
  | ({ readonly kind: 'server_error' } & RefusedAttempt)
  /** The contract does not allow this answer. A create may still have made a payment. */
  | ({ readonly kind: 'broken' } & RefusedAttempt)
  | ({ readonly kind: 'unreadable'; readonly why: string } & AnsweredAttempt)
  | { readonly kind: 'lost'; readonly reason: NoAnswerReason; readonly message: string }
  | { readonly kind: 'not_sent'; readonly reason: NoAnswerReason; readonly message: string };

export type AttemptKind = Attempt['kind'];

const UNKNOWN_KINDS: ReadonlySet<AttemptKind> = new Set(['lost', 'unreadable', 'server_error', 'mismatched']);

/** A `broken` answer to a create is unknown too, because the service may have made the payment first. */
export function isUnknown({ kind }: Attempt, retry: RetryClass): boolean {
  return UNKNOWN_KINDS.has(kind) || (kind === 'broken' && retry === 'keyed');
}

export function isLimited(attempt: Attempt): boolean {
  return attempt.kind === 'unavailable' && attempt.answer.status === 429;
}

export function isDenied(attempt: Attempt): boolean {
  return attempt.kind === 'refused' && (attempt.answer.status === 401 || attempt.answer.status === 403);
}

export function isNotFound(attempt: Attempt): boolean {
  return attempt.kind === 'refused' && attempt.answer.status === 404 && attempt.error?.code === 'not_found';
}

export function isMalformed(reason: NoAnswerReason): boolean {
  return reason === 'malformed' || reason === 'too_large' || reason === 'encoding';
}

export function answerOf(attempt: Attempt | null | undefined): Answer | null {
  return attempt !== null && attempt !== undefined && 'answer' in attempt ? attempt.answer : null;
}

export interface CreateFacts {
  readonly firstLeftMs: number | null;
  /** If the caller chose the idempotency key, the answer may have an older operation. */
  readonly isOwnKey: boolean;
}

export interface CallAttempts {
  readonly endpointId: EndpointId | null;
  readonly retry: RetryClass;
  readonly id: string | null;
  readonly idempotencyKey: string | null;
  readonly attempts: readonly Attempt[];
  readonly create: CreateFacts | null;
  readonly lookup: Attempt | null;
}

export const KEY_REUSED = 'idempotency_key_reused';

export function isReused(attempt: Attempt): boolean {
  return attempt.kind === 'refused' && attempt.answer.status === 409 && attempt.error?.code === KEY_REUSED;
}
