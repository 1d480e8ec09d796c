import { type Age, maySendAgain } from '../../contract/moment.js';
import { ageAt, type AgeOf, type JournalRequest, type UnsentRequest } from './request.js';

/** Why a create may not be sent. Each reason names the blocking request. */
export type Obstacle =
  /** The idempotency key was sent too long ago, or at an unknown time: the service may have forgotten it. */
  | { readonly kind: 'too_old'; readonly request: JournalRequest; readonly age: Age }
  /** Another payment replaced the request with this idempotency key. */
  | { readonly kind: 'replaced'; readonly request: JournalRequest }
  /** The caller's idempotency key made an operation so long ago that the service may not answer with it. */
  | { readonly kind: 'key_used'; readonly request: JournalRequest; readonly age: Age }
  /** The idempotency key was derived from the payment, and has made an operation. */
  | { readonly kind: 'settled'; readonly request: JournalRequest }
  /** The idempotency key was sent with another API key or to another address, and nothing proves that both are of one company. */
  | { readonly kind: 'other_sender'; readonly request: JournalRequest }
  /** A living process has recorded the same payment, and may be about to send it. */
  | { readonly kind: 'under_way'; readonly request: JournalRequest };

export type Precedence =
  | Obstacle
  /** The request was sent with the same idempotency key and bytes: this is one more sending. */
  | { readonly kind: 'repeats'; readonly request: JournalRequest }
  /** The operation of the same idempotency key and bytes is known: the service answers with it. */
  | { readonly kind: 'known'; readonly request: JournalRequest }
  /** The same idempotency key and bytes are recorded: the first process that clears the request sends it. */
  | { readonly kind: 'joins'; readonly request: JournalRequest }
  | { readonly kind: 'new' };

export type CompanyMatch = 'same' | 'other' | 'unknown';

export interface PrecedenceOptions {
  readonly ageOf: AgeOf;
  readonly companyOf: (request: JournalRequest) => CompanyMatch;
}

/** Requests that were sent with other idempotency keys are checked later, not here. */
export function precedenceOf(
  unsent: UnsentRequest,
  candidates: readonly JournalRequest[],
  options: PrecedenceOptions,
): Precedence {
  const requests = candidates.filter((other) => options.companyOf(other) !== 'other');
  const match = requests.find(
    ({ idempotencyKey, path, bodyMark }) =>
      idempotencyKey === unsent.idempotencyKey && path === unsent.path && isEqual(bodyMark, unsent.bodyMark),
  );
  if (match !== undefined && match.state !== 'recorded') return precedenceOfRepeat(unsent, match, options);
  const rival = requests.findLast(
    (other) => other !== match && other.state === 'recorded' && isSamePayment(unsent, other),
  );
  if (rival !== undefined) return { kind: 'under_way', request: rival };
  if (match === undefined) return { kind: 'new' };
  return options.companyOf(match) === 'same'
    ? { kind: 'joins', request: match }
    : { kind: 'under_way', request: match };
}

function precedenceOfRepeat(
  { isOwnKey }: UnsentRequest,
  request: JournalRequest,
  { ageOf, companyOf }: PrecedenceOptions,
): Precedence {
  const age = ageAt(request, ageOf);
  if (request.state === 'settled') {
    if (!isOwnKey) return { kind: 'settled', request };
    return maySendAgain(age) ? { kind: 'known', request } : { kind: 'key_used', request, age };
  }
  if (request.mayNotRepeat) return { kind: 'replaced', request };
  if (!maySendAgain(age)) return { kind: 'too_old', request, age };
  return { kind: companyOf(request) === 'same' ? 'repeats' : 'other_sender', request };
}

/**
 * Two requests with the same reference are the same payment. Without references, account, amount and metadata must be the same, and two
 * different idempotency keys of the caller mean two payments.
 */
export function isSamePayment(unsent: UnsentRequest, other: JournalRequest): boolean {
  if (other.direction !== unsent.direction) return false;
  if (unsent.referenceMark !== null || other.referenceMark !== null)
    return isEqual(other.referenceMark, unsent.referenceMark);
  const hasOwnKey = unsent.isOwnKey || other.isOwnKey;
  if (hasOwnKey && other.idempotencyKey !== unsent.idempotencyKey) return false;
  return isEqual(other.twinMark, unsent.twinMark) && isEqual(other.metadataMark, unsent.metadataMark);
}

function isEqual(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a !== null && b !== null && Buffer.compare(a, b) === 0;
}
