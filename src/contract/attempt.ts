/** What can come of one attempt at a request, and what that says about the money: the words that sender and judge share. Pure. */
import type { RetryClass, EndpointId } from './endpoints.js';
import type { ErrorEnvelope } from './errors.js';
import type { OperationFacts } from './operation-facts.js';

/** An answer as it came, its body untouched. */
export interface Answer {
  readonly status: number;
  /** Names in any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** Why no whole answer came. */
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
  /** It waited for its turn until it might not leave any more. */
  | 'late'
  | 'aborted';

interface Answered {
  readonly answer: Answer;
  /** What `Retry-After` asks for, in milliseconds; null without one. */
  readonly retryAfterMs: number | null;
}

/** The service's error, or null where the answer carries no envelope. */
interface Refused extends Answered {
  readonly error: ErrorEnvelope['error'] | null;
}

export type Attempt =
  /**
   * A 2xx that holds what the endpoint promises; `operation` where that is one, `value` the parsed body (undefined where any body will do).
   */
  | ({
      readonly kind: 'success';
      readonly operation: OperationFacts | null;
      readonly value: unknown;
      /** Of a create: a row or request of the same reference has become that operation. */
      readonly isHeld?: boolean;
      /** Of a create: it is known here to have ended otherwise. */
      readonly isContradicted?: boolean;
    } & Answered)
  /** A 2xx with an operation that is not what was asked for: it says nothing about what was, nor whether that was carried out. */
  | ({ readonly kind: 'mismatched'; readonly operation: OperationFacts; readonly why: string } & Answered)
  /** 400, 401, 403, 404, 409: a definite no. Of a create only what the contract lists for it. */
  | ({ readonly kind: 'refused' } & Refused)
  /** 429, or a 503 with the error envelope: a definite "not now". */
  | ({ readonly kind: 'unavailable' } & Refused)
  /** Any other 5xx: it may have been carried out. */
  | ({ readonly kind: 'server_error' } & Refused)
  /** A redirect, an unlisted 4xx, or a 4xx that is no JSON: not what the contract allows. Of a create it settles nothing. */
  | ({ readonly kind: 'broken' } & Refused)
  /** A 2xx without what was promised, or a status that means nothing: it may have been carried out. */
  | ({ readonly kind: 'unreadable'; readonly why: string } & Answered)
  /** It left, and no whole answer came: it may have been carried out. */
  | { readonly kind: 'lost'; readonly reason: NoAnswerReason; readonly message: string }
  /** Nothing left. */
  | { readonly kind: 'not_sent'; readonly reason: NoAnswerReason; readonly message: string };

export type AttemptKind = Attempt['kind'];

const UNKNOWN: ReadonlySet<AttemptKind> = new Set<AttemptKind>([
  'lost',
  'unreadable',
  'server_error',
  'mismatched',
]);

/**
 * True where the request may have been carried out and nothing says whether it was. Nobody promises of an answer that the contract does
 * not know that a create was not carried out before it.
 */
export function isUnknown({ kind }: Attempt, retry: RetryClass): boolean {
  return UNKNOWN.has(kind) || (kind === 'broken' && retry === 'keyed');
}

/** A rate limit turned it away: it was not carried out. */
export function isLimited(attempt: Attempt): boolean {
  return attempt.kind === 'unavailable' && attempt.answer.status === 429;
}

/** Nothing that this key sends is carried out. */
export function isDenied(attempt: Attempt): boolean {
  return attempt.kind === 'refused' && (attempt.answer.status === 401 || attempt.answer.status === 403);
}

/** The service itself says that it has no such operation: a gateway's 404 says nothing about one. */
export function isNotFound(attempt: Attempt): boolean {
  return attempt.kind === 'refused' && attempt.answer.status === 404 && attempt.error?.code === 'not_found';
}

/** What came was no answer that HTTP or its limits allow. */
export function isMalformed(reason: NoAnswerReason): boolean {
  return reason === 'malformed' || reason === 'too_large' || reason === 'encoding';
}

/** The answer of an attempt, or null where none came. */
export function answerOf(attempt: Attempt | null | undefined): Answer | null {
  return attempt !== null && attempt !== undefined && 'answer' in attempt ? attempt.answer : null;
}

/** What decides whether an operation in an answer is the one that a create asked for, or one that was there before. */
export interface CreateFacts {
  /** When these bytes with this key may first have left, in the service's time; null where that is not known. */
  readonly firstLeftMs: number | null;
  /** The caller named the key: an operation that was there before is one that this key has made then. */
  readonly isOwnKey: boolean;
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
  /** What a create is, beside its attempts; null for every other call. */
  readonly create: CreateFacts | null;
  /** The one GET of the operation after a `once` call whose outcome is unknown. */
  readonly lookup: Attempt | null;
}
