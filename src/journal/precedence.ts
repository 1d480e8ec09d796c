/** Decides from the journal whether a create may be recorded: by the same key, and by the same payment that is about to leave. Pure. */
import { type Age, mayLeaveAgain } from '../contract/moment.js';
import { ageAt, type AgeOf, type KeptRequest, type Leaving } from './request.js';

/** Why a create may not leave. Each names the request that stands in its way. */
export type Obstacle =
  /** Its own key left too long ago, or nobody knows how long ago that is: the service may have forgotten it. */
  | { readonly kind: 'too_old'; readonly request: KeptRequest; readonly age: Age }
  /** Another payment was made in the place of the one with its key. */
  | { readonly kind: 'replaced'; readonly request: KeptRequest }
  /** Its own key is known to have made an operation, too long ago to be answered with it for certain. */
  | { readonly kind: 'key_used'; readonly request: KeptRequest; readonly age: Age }
  /** The key that follows from the payment is known to have made an operation. */
  | { readonly kind: 'settled'; readonly request: KeptRequest }
  /** Its own key left with another API key or to another address: whether that is the same company has to be proved. */
  | { readonly kind: 'other_sender'; readonly request: KeptRequest }
  /** The same payment was recorded by a process that lives, and may be about to leave. */
  | { readonly kind: 'under_way'; readonly request: KeptRequest };

export type Precedence =
  | Obstacle
  /** The same key and bytes: one more sending of that request. */
  | { readonly kind: 'repeats'; readonly request: KeptRequest }
  /** The same key and bytes, and it is known what they became: the service answers with that. */
  | { readonly kind: 'known'; readonly request: KeptRequest }
  /** The same key and bytes, which have not left either: the first process to clear it sends it. */
  | { readonly kind: 'joins'; readonly request: KeptRequest }
  | { readonly kind: 'new' };

/** Whose request it is, as far as that is known here. */
export type CompanyMatch = 'same' | 'other' | 'unknown';

export interface PrecedenceOptions {
  readonly ageOf: AgeOf;
  /** Whether it belongs to the company that creates; `unknown` stands in the way as `same` does. */
  readonly companyOf: (request: KeptRequest) => CompanyMatch;
}

/**
 * What has left stands in the way of another key's as well; that is asked once this one is recorded, with all else that is known of its payment.
 * @param others the requests of the same environment that have its key, or are recorded
 */
export function precedenceOf(
  leaving: Leaving,
  others: readonly KeptRequest[],
  options: PrecedenceOptions,
): Precedence {
  const theirs = others.filter((other) => options.companyOf(other) !== 'other');
  const same = theirs.find(
    ({ idempotencyKey, path, bodyMark }) =>
      idempotencyKey === leaving.idempotencyKey &&
      path === leaving.path &&
      isEqual(bodyMark, leaving.bodyMark),
  );
  if (same !== undefined && same.state !== 'recorded') return precedenceOfSame(leaving, same, options);
  // One that joins a request that has not left is checked in the same way.
  const rival = theirs.findLast(
    (other) => other !== same && other.state === 'recorded' && isSamePayment(leaving, other),
  );
  if (rival !== undefined) return { kind: 'under_way', request: rival };
  if (same === undefined) return { kind: 'new' };
  return options.companyOf(same) === 'same'
    ? { kind: 'joins', request: same }
    : { kind: 'under_way', request: same };
}

function precedenceOfSame(
  { isOwnKey }: Leaving,
  request: KeptRequest,
  { ageOf, companyOf }: PrecedenceOptions,
): Precedence {
  const age = ageAt(request, ageOf);
  if (request.state === 'settled') {
    if (!isOwnKey) return { kind: 'settled', request };
    return mayLeaveAgain(age) ? { kind: 'known', request } : { kind: 'key_used', request, age };
  }
  if (request.mayNotRepeat) return { kind: 'replaced', request };
  if (!mayLeaveAgain(age)) return { kind: 'too_old', request, age };
  return { kind: companyOf(request) === 'same' ? 'repeats' : 'other_sender', request };
}

/**
 * True where a person takes both for one payment: they have one reference, or none and the same account, amount and metadata. Two keys that
 * callers named say that two payments without a reference are meant.
 */
export function isSamePayment(leaving: Leaving, other: KeptRequest): boolean {
  if (other.direction !== leaving.direction) return false;
  if (leaving.referenceMark !== null || other.referenceMark !== null)
    return isEqual(other.referenceMark, leaving.referenceMark);
  const isNamed = leaving.isOwnKey || other.isOwnKey;
  if (isNamed && other.idempotencyKey !== leaving.idempotencyKey) return false;
  return isEqual(other.twinMark, leaving.twinMark) && isEqual(other.metadataMark, leaving.metadataMark);
}

function isEqual(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a !== null && b !== null && Buffer.compare(a, b) === 0;
}
