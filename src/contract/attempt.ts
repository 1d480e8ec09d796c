/** The possible results of one attempt at a request, and what each says about the money. Pure. */
import type { RetryClass, EndpointId } from './endpoints.js';
import type { ErrorEnvelope } from './errors.js';
import type { OperationFacts } from './operation-facts.js';

/** An HTTP answer with its body as received. */
export interface Answer {
  readonly status: number;
  /** The service may send a header's name in any case. */
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
  /** How long the header `Retry-After` asks to wait; null without this header. */
  readonly retryAfterMs: number | null;
}

interface RefusedAttempt extends AnsweredAttempt {
  /** The error of the answer; null if the answer has no error envelope. */
  readonly error: ErrorEnvelope['error'] | null;
}

export type Attempt =
  /** A 2xx with the promised body. `operation` is null if the endpoint returns none; `value` is the parsed body, or undefined if any body will do. */
  | ({
      readonly kind: 'success';
      readonly operation: OperationFacts | null;
      readonly value: unknown;
      /** For a create: our records already have this operation, for another row or request with the same reference. */
      readonly isHeldElsewhere?: boolean;
      /** For a create: by our records the operation ended otherwise than the answer says. */
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
  /** 429, or a 503 with the error envelope: a definite "not now". */
  | ({ readonly kind: 'unavailable' } & RefusedAttempt)
  /** Any other 5xx: the service may have carried out the request. */
  | ({ readonly kind: 'server_error' } & RefusedAttempt)
  /** The contract does not allow this answer: a redirect, an unlisted 4xx, or a 4xx that is no JSON. A create may still have paid. */
  | ({ readonly kind: 'broken' } & RefusedAttempt)
  /** A 2xx without the promised body, or a status without a meaning: the service may have carried out the request. */
  | ({ readonly kind: 'unreadable'; readonly why: string } & AnsweredAttempt)
  /** The request was sent, and no complete answer came: the service may have carried it out. */
  | { readonly kind: 'lost'; readonly reason: NoAnswerReason; readonly message: string }
  /** No byte of the request was sent. */
  | { readonly kind: 'not_sent'; readonly reason: NoAnswerReason; readonly message: string };

export type AttemptKind = Attempt['kind'];

const UNKNOWN_KINDS: ReadonlySet<AttemptKind> = new Set(['lost', 'unreadable', 'server_error', 'mismatched']);

/**
 * True if the attempt does not show whether the service carried out the request. This includes a `broken` answer to a create: the
 * service may have made the payment before it sent an answer against the contract.
 */
export function isUnknown({ kind }: Attempt, retry: RetryClass): boolean {
  return UNKNOWN_KINDS.has(kind) || (kind === 'broken' && retry === 'keyed');
}

/** True if a rate limit turned the request away: the service did not carry it out. */
export function isLimited(attempt: Attempt): boolean {
  return attempt.kind === 'unavailable' && attempt.answer.status === 429;
}

/** True if the service refuses the API key (401), or the key lacks the scope of the request (403). */
export function isDenied(attempt: Attempt): boolean {
  return attempt.kind === 'refused' && (attempt.answer.status === 401 || attempt.answer.status === 403);
}

/** True if the service itself says that it has no such operation. The 404 of a gateway does not count. */
export function isNotFound(attempt: Attempt): boolean {
  return attempt.kind === 'refused' && attempt.answer.status === 404 && attempt.error?.code === 'not_found';
}

/** True if the bytes that arrived are no valid HTTP answer, or are an answer that svc does not read because it is too large or encoded. */
export function isMalformed(reason: NoAnswerReason): boolean {
  return reason === 'malformed' || reason === 'too_large' || reason === 'encoding';
}

export function answerOf(attempt: Attempt | null | undefined): Answer | null {
  return attempt !== null && attempt !== undefined && 'answer' in attempt ? attempt.answer : null;
}

/** The facts that tell whether the operation in an answer is the payment of this create or an older one. */
export interface CreateFacts {
  /** The earliest time (service clock) at which these bytes may have been sent with this key; null if unknown. */
  readonly firstLeftMs: number | null;
  /** The caller chose the key. Then an older operation in the answer is one that this key made before. */
  readonly isOwnKey: boolean;
}

export interface CallAttempts {
  /** The endpoint of the call; null for a request that is not in the table of endpoints. */
  readonly endpointId: EndpointId | null;
  readonly retry: RetryClass;
  /** The operation id in the path, if there is one. */
  readonly id: string | null;
  /** The idempotency key; null for a call without one. */
  readonly idempotencyKey: string | null;
  /** The attempts, in the order of sending; at least one. */
  readonly attempts: readonly Attempt[];
  /** Facts about the create; null for another call. */
  readonly create: CreateFacts | null;
  /** The one GET of the operation after a `once` call with an unknown outcome. */
  readonly lookup: Attempt | null;
}

/** The error code of a key that has made another payment. A row keeps it as its code. */
export const KEY_REUSED = 'idempotency_key_reused';

/** True for a 409 with `KEY_REUSED`: this request was not carried out. */
export function isReused(attempt: Attempt): boolean {
  return attempt.kind === 'refused' && attempt.answer.status === 409 && attempt.error?.code === KEY_REUSED;
}
