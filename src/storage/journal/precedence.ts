/** Decides from the journal if a create may be recorded: by its key, and by records of the same payment. Pure. */
import { type Age, maySendAgain } from '../../contract/moment.js';
import { ageAt, type AgeOf, type JournalRequest, type UnsentRequest } from './request.js';

/** Why a create may not leave. Each reason names the blocking request. */
export type Obstacle =
  /** The create's key left too long ago, or at an unknown time: the service may have forgotten the key. */
  | { readonly kind: 'too_old'; readonly request: JournalRequest; readonly age: Age }
  /** Another payment replaced the request with this key. */
  | { readonly kind: 'replaced'; readonly request: JournalRequest }
  /** The caller's key made an operation, so long ago that the service may not answer with it. */
  | { readonly kind: 'key_used'; readonly request: JournalRequest; readonly age: Age }
  /** The key derived from the payment made an operation. */
  | { readonly kind: 'settled'; readonly request: JournalRequest }
  /** The key left with another API key or to another address, and it is not proved that both are of one company. */
  | { readonly kind: 'other_sender'; readonly request: JournalRequest }
  /** A process that lives has recorded the same payment, and it may be about to leave. */
  | { readonly kind: 'under_way'; readonly request: JournalRequest };

export type Precedence =
  | Obstacle
  /** The request left with the same key and bytes: this is one more sending. */
  | { readonly kind: 'repeats'; readonly request: JournalRequest }
  /** The operation of the same key and bytes is known: the service answers with it. */
  | { readonly kind: 'known'; readonly request: JournalRequest }
  /** The same key and bytes are recorded and have not left: the first process that clears the request sends it. */
  | { readonly kind: 'joins'; readonly request: JournalRequest }
  | { readonly kind: 'new' };

export type CompanyMatch = 'same' | 'other' | 'unknown';

export interface PrecedenceOptions {
  readonly ageOf: AgeOf;
  /** Says if a request is of the create's company. `unknown` blocks a create like `same`. */
  readonly companyOf: (request: JournalRequest) => CompanyMatch;
}

/**
 * Decides by the key and by records alone. Requests that left with other keys are checked after the record, with all that is known of the payment.
 * @param candidates the requests of the environment that have the same key or are recorded
 */
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
  // A create that joins a record is checked against the other records too.
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

/** True if a person would take both for one payment: the same reference, or none and the same account, amount and metadata. Without a reference, two named keys mean two payments. */
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
