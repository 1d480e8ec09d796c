/** What can come of one attempt at a request, and what that says about the money: the words that retry and conclusion share. */
import type { RetryClass } from '../contract/endpoint.js';
import type { EndpointId } from '../contract/endpoints.js';
import type { ErrorEnvelope } from '../contract/errors.js';
import type { OperationFacts } from '../contract/operation.js';
import type { HttpAnswer, NotAnsweredReason } from '../runtime/transport.js';

/** An operation as an answer holds it, with why it failed where it did. */
export interface Outcome extends OperationFacts {
  readonly failure: {
    readonly code: string;
    readonly reason: string | null;
    readonly message: string;
  } | null;
}

interface Answered {
  readonly answer: HttpAnswer;
  /** What `Retry-After` asks for, in milliseconds; null without one. */
  readonly retryAfterMs: number | null;
}

/** The service's error, or null where the answer carries no envelope. */
interface Refused extends Answered {
  readonly error: ErrorEnvelope['error'] | null;
}

export type Attempt =
  /** A 2xx that holds what the endpoint promises; `operation` where that is one, `value` the parsed body (undefined where any body will do). */
  | ({ readonly kind: 'success'; readonly operation: Outcome | null; readonly value: unknown } & Answered)
  /** 400, 401, 403, 404, 409: a definite no. */
  | ({ readonly kind: 'refused' } & Refused)
  /** 429, or a 503 with the error envelope: a definite "not now". */
  | ({ readonly kind: 'unavailable' } & Refused)
  /** Any other 5xx: it may have been carried out. */
  | ({ readonly kind: 'server_error' } & Refused)
  /** A redirect, an unlisted 4xx, or a 4xx that is no JSON: not carried out, and not what the contract allows. */
  | ({ readonly kind: 'broken' } & Refused)
  /** A 2xx without what was promised, or a status that means nothing: it may have been carried out. */
  | ({ readonly kind: 'unreadable'; readonly why: string } & Answered)
  /** It left, and no whole answer came: it may have been carried out. */
  | { readonly kind: 'lost'; readonly reason: NotAnsweredReason; readonly message: string }
  /** Nothing left. */
  | { readonly kind: 'not_sent'; readonly reason: NotAnsweredReason; readonly message: string };

export type AttemptKind = Attempt['kind'];

/** True where the request may have been carried out and nothing says whether it was. */
export function isUnknown(attempt: Attempt): boolean {
  return attempt.kind === 'lost' || attempt.kind === 'unreadable' || attempt.kind === 'server_error';
}

/** The answer of an attempt, or null where none came. */
export function answerOf(attempt: Attempt | null | undefined): HttpAnswer | null {
  return attempt !== null && attempt !== undefined && 'answer' in attempt ? attempt.answer : null;
}

/** Everything that was tried for one call. */
export interface Tried {
  /** Null for a request that is no row of the table. */
  readonly endpointId: EndpointId | null;
  readonly retry: RetryClass;
  /** The operation that the path names; null where it names none. */
  readonly id: string | null;
  /** Null for calls that are not keyed. */
  readonly idempotencyKey: string | null;
  /** In order; at least one. */
  readonly attempts: readonly Attempt[];
  /** The one GET of the operation after a `once` call whose outcome is unknown. */
  readonly lookup: Attempt | null;
}
