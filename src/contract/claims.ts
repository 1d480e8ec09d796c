/** What an operation says of itself, in an answer or an event, and whether it is what was asked for. Pure. */
import { type Direction, DIRECTIONS } from './operation.js';
import { SERVICE_CLOCKS_MS } from './limits.js';
import { idInOneCase, isSameId, momentMs } from './notation.js';
import { compareDecimals, isDecimal } from './money.js';

/** What an operation says of itself; undefined where it does not. */
export interface OperationClaims {
  /** In one case, however the service wrote it. */
  readonly id: string;
  readonly status: string;
  /** The failure's code, or why it is pending. */
  readonly code: string | null;
  /** The reason beneath the failure's code. */
  readonly failureReason?: string | null | undefined;
  readonly direction?: Direction | undefined;
  /** A decimal string. */
  readonly amount?: string | undefined;
  readonly currency?: string | undefined;
  readonly country?: string | undefined;
  readonly method?: string | undefined;
  readonly reference?: string | undefined;
  /** ISO 8601. */
  readonly createdAt?: string | undefined;
}

/** What was asked for; undefined where it was not said. The id is that of the path, absent where an operation is to be made. */
export type Asked = Partial<
  Pick<OperationClaims, 'id' | 'direction' | 'amount' | 'currency' | 'country' | 'method' | 'reference'>
>;

/** What a book holds of a reference: where that is an operation, its own answer or a read of it has settled it there. */
export interface HeldOperation {
  readonly operation?: string | null;
  readonly status?: string | null;
  readonly amount: string;
  readonly currency: string;
  /** When it was made, in the service's time. */
  readonly operationAtMs?: number | null;
}

type Members = Readonly<Record<string, unknown>>;

/** The claims of a parsed answer or `data` of an event; null where it is no operation (no `id` or no `status`). */
export function claimsOf(value: unknown): OperationClaims | null {
  if (typeof value !== 'object' || value === null) return null;
  const members = value as Members;
  const [id, status] = [textOf(members, 'id'), textOf(members, 'status')];
  if (id === undefined || id === '' || status === undefined || status === '') return null;
  const failure = members['failure'] as Members | null | undefined;
  const isFailure = typeof failure === 'object' && failure !== null;
  const failureCode = isFailure ? textOf(failure, 'code') : undefined;
  return {
    id: idInOneCase(id),
    status,
    code: failureCode ?? textOf(members, 'pending_reason') ?? null,
    failureReason: isFailure ? textOf(failure, 'reason') : undefined,
    ...askedOf(members, textOf(members, 'type')),
    createdAt: textOf(members, 'created_at'),
  };
}

/** What the parsed body of a create asks for. */
export function askedOf(body: Members, direction: string | undefined): Asked {
  const amount = body['amount'];
  return {
    direction: DIRECTIONS.find((known) => known === direction),
    // A service that writes amounts as numbers means the same by them.
    amount: typeof amount === 'number' ? String(amount) : textOf(body, 'amount'),
    currency: textOf(body, 'currency'),
    country: textOf(body, 'country'),
    method: textOf(body, 'method'),
    reference: textOf(body, 'reference'),
  };
}

/**
 * What of an operation is not what was asked for, as a clause; null where all of it is. What either of the two does not say is not
 * compared: an amount as a number, id, country and currency in either case, the rest as text.
 */
export function differenceOf(asked: Asked, claims: OperationClaims): string | null {
  for (const name of COMPARED) {
    const [wanted, claimed] = [asked[name], claims[name]];
    if (wanted === undefined || claimed === undefined || isSame[name](wanted, claimed)) continue;
    if (name === 'id') return `the answer is about operation ${claimed}, but svc asked for ${wanted}`;
    if (name === 'direction') return `the answer is about a ${claimed}, but svc asked for a ${wanted}`;
    if (name === 'reference') return 'the answer has a different reference';
    return `the answer has the ${name} ${claimed}, but svc sent ${wanted}`;
  }
  return null;
}

/** True where a payment is of that amount, currency and direction; what it does not say of itself is no agreement. */
export function agrees(
  asked: Required<Pick<Asked, 'amount' | 'currency' | 'direction'>>,
  claims: Asked,
): boolean {
  const names = ['amount', 'currency', 'direction'] as const;
  return names.every((name) => {
    const [wanted, claimed] = [asked[name], claims[name]];
    return wanted !== undefined && claimed !== undefined && isSame[name](wanted, claimed);
  });
}

/**
 * True for an operation that was there before these bytes first left: it is an older payment, whoever made it. One that does not say when
 * it was made is not.
 * @param firstLeftMs in the service's time
 */
export function isOlder({ createdAt }: Pick<OperationClaims, 'createdAt'>, firstLeftMs: number): boolean {
  const createdAtMs = momentMs(createdAt);
  return createdAtMs !== null && createdAtMs < firstLeftMs - SERVICE_CLOCKS_MS;
}

const COMPARED = ['id', 'amount', 'currency', 'country', 'method', 'direction', 'reference'] as const;

const isEqual = (a: string, b: string): boolean => a === b;
const isEqualInAnyCase = (a: string, b: string): boolean => a.toUpperCase() === b.toUpperCase();

const isSame: Readonly<Record<(typeof COMPARED)[number], (a: string, b: string) => boolean>> = {
  id: isSameId,
  amount: (a, b) => a === b || (isDecimal(a) && isDecimal(b) && compareDecimals(a, b) === 0),
  currency: isEqualInAnyCase,
  country: isEqualInAnyCase,
  method: isEqual,
  direction: isEqual,
  reference: isEqual,
};

function textOf(members: Members, name: string): string | undefined {
  const member = members[name];
  return typeof member === 'string' ? member : undefined;
}
