import type { HttpAnswer, NotAnsweredReason } from '../runtime/transport.js';
import type { RetryClass, EndpointId } from './endpoints.js';
import type { ErrorEnvelope } from './errors.js';
import type { OperationFacts } from './operation-facts.js';

interface AnsweredAttempt {
  readonly answer: HttpAnswer;
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
      readonly isHeldElsewhere?: boolean;
      readonly isContradicted?: boolean;
    } & AnsweredAttempt)
  /** `mismatched` is a 2xx answer with another operation than the requested one. */
  | ({
      readonly kind: 'mismatched';
      readonly operation: OperationFacts;
      readonly why: string;
    } & AnsweredAttempt)
  | ({ readonly kind: 'refused' } & RefusedAttempt)
  | ({ readonly kind: 'unavailable' } & RefusedAttempt)
  | ({ readonly kind: 'server_error' } & RefusedAttempt)
  | ({ readonly kind: 'broken' } & RefusedAttempt)
  | ({ readonly kind: 'unreadable'; readonly why: string } & AnsweredAttempt)
  | { readonly kind: 'lost'; readonly reason: NotAnsweredReason; readonly message: string }
  | { readonly kind: 'not_sent'; readonly reason: NotAnsweredReason; readonly message: string };

export type AttemptKind = Attempt['kind'];

const UNKNOWN_KINDS: ReadonlySet<AttemptKind> = new Set(['lost', 'unreadable', 'server_error', 'mismatched']);

/** A `broken` answer to a `keyed` request is unknown too, because the service may have made the payment. */
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

export function isBadAnswer(reason: NotAnsweredReason): boolean {
  return reason === 'malformed' || reason === 'too_large' || reason === 'encoding';
}

export function answerOf(attempt: Attempt | null | undefined): HttpAnswer | null {
  return attempt !== null && attempt !== undefined && 'answer' in attempt ? attempt.answer : null;
}

export interface CreateFacts {
  readonly firstLeftMs: number | null;
  /** True if the caller chose the idempotency key. */
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

export function hasReusedKey(attempt: Attempt): boolean {
  return attempt.kind === 'refused' && attempt.answer.status === 409 && attempt.error?.code === KEY_REUSED;
}
