import { type Age, maySendAgain } from '../../contract/moment.js';
import { ageAt, type AgeOf, type JournalRequest, type UnsentRequest } from './request.js';

export type Obstacle =
  | { readonly kind: 'too_old'; readonly request: JournalRequest; readonly age: Age }
  | { readonly kind: 'replaced'; readonly request: JournalRequest }
  | { readonly kind: 'key_used'; readonly request: JournalRequest; readonly age: Age }
  | { readonly kind: 'settled'; readonly request: JournalRequest }
  | { readonly kind: 'other_sender'; readonly request: JournalRequest }
  | { readonly kind: 'under_way'; readonly request: JournalRequest };

export type Precedence =
  | Obstacle
  | { readonly kind: 'repeats'; readonly request: JournalRequest }
  | { readonly kind: 'known'; readonly request: JournalRequest }
  | { readonly kind: 'joins'; readonly request: JournalRequest }
  | { readonly kind: 'new' };

export type CompanyMatch = 'same' | 'other' | 'unknown';

export interface PrecedenceOptions {
  readonly ageOf: AgeOf;
  readonly companyOf: (request: JournalRequest) => CompanyMatch;
}

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
