/** What already stands in the book decides whether a create may leave: the same key, the same reference, the same body. Pure. */
import { KEY_SAFE_MS } from '../contract/limits.js';
import { type About, isRepeatableAt, type KeptRequest, type Leaving } from './request.js';

/** Why a create may not leave. Each names the request that stands in its way. */
export type Obstacle =
  /** Its own key left too long ago: the service may have forgotten it. */
  | { readonly kind: 'too_old'; readonly request: KeptRequest }
  /** Its own key is known to have made an operation, too long ago to be answered with it for certain. */
  | { readonly kind: 'key_used'; readonly request: KeptRequest }
  /** Its own key left with another API key or to another address: whether that is the same company has to be proved. */
  | { readonly kind: 'other_sender'; readonly request: KeptRequest }
  /** A request with the same reference, or the same body, whose outcome is not known. */
  | { readonly kind: 'open'; readonly request: KeptRequest };

export type Precedence =
  | Obstacle
  /** The same key and bytes: one more sending of that request. */
  | { readonly kind: 'repeats'; readonly request: KeptRequest }
  /** The same key and bytes, and it is known what they became: the service answers with that. */
  | { readonly kind: 'known'; readonly request: KeptRequest }
  | { readonly kind: 'new' };

export interface PrecedenceOptions {
  /** The caller insists that this is another payment. */
  readonly isNewPayment: boolean;
  /** How long ago that was in the service's time, in milliseconds. */
  readonly ageMs: (serviceMs: number) => number;
}

/**
 * @param others the requests of the same environment that have its key, its reference or its body
 */
export function precedenceOf(
  leaving: Leaving,
  about: About,
  others: readonly KeptRequest[],
  { isNewPayment, ageMs }: PrecedenceOptions,
): Precedence {
  const sameKey = others.filter(({ idempotencyKey }) => idempotencyKey === leaving.idempotencyKey);
  const same = sameKey.find(
    (other) => other.path === leaving.path && isEqual(other.bodyMark, about.bodyMark),
  );
  if (same !== undefined) return precedenceOfSame(leaving, same, ageMs);
  if (isNewPayment) return { kind: 'new' };
  const open = others.find(
    (other) =>
      other.state !== 'settled' &&
      !isRefusedByKey(leaving, other, ageMs) &&
      other.direction === about.direction &&
      (isEqual(other.referenceMark, about.referenceMark) || isSameBody(other, about, ageMs)),
  );
  return open === undefined ? { kind: 'new' } : { kind: 'open', request: open };
}

function precedenceOfSame(
  leaving: Leaving,
  request: KeptRequest,
  ageMs: PrecedenceOptions['ageMs'],
): Precedence {
  const isOld = !isRepeatableAt(request, ageMs);
  if (request.state === 'settled') return { kind: isOld ? 'key_used' : 'known', request };
  if (isOld) return { kind: 'too_old', request };
  const isSameSender = request.keyPrint === leaving.keyPrint && request.origin === leaving.origin;
  return { kind: isSameSender ? 'repeats' : 'other_sender', request };
}

/** Of two different requests with one key the service carries out one, for as long as it is sure to remember the key. */
function isRefusedByKey(leaving: Leaving, other: KeptRequest, ageMs: PrecedenceOptions['ageMs']): boolean {
  return other.idempotencyKey === leaving.idempotencyKey && isRepeatableAt(other, ageMs);
}

/** A body without a reference names no payment: after a day an equal one is another. */
function isSameBody(other: KeptRequest, about: About, ageMs: (serviceMs: number) => number): boolean {
  if (!isEqual(other.bodyMark, about.bodyMark)) return false;
  return about.referenceMark !== null || ageMs(other.firstLeftMs) <= KEY_SAFE_MS;
}

function isEqual(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a !== null && b !== null && Buffer.compare(a, b) === 0;
}
