/** What an answer or an event says of an operation: one record, how it is read, and how two of them are compared. Pure. */
import { isObject } from './shape.js';
import { SERVICE_CLOCKS_MS } from './limits.js';
import { compareDecimals, isDecimal } from './money.js';
import { idInOneCase, isSameId, momentMs } from './notation.js';
import { type Direction, DIRECTIONS, isFinal } from './operation.js';

/** No name, no account, no document, no metadata. Null is what nothing says. */
export interface OperationFacts {
  /** In one case, however the service wrote it. */
  readonly id: string;
  readonly status: string;
  readonly direction: Direction | null;
  /** The failure's code; of what is not final, why it is pending. */
  readonly code: string | null;
  /** The reason beneath the failure's code. */
  readonly failureReason: string | null;
  readonly failureMessage: string | null;
  /** A decimal string. */
  readonly amount: string | null;
  readonly currency: string | null;
  readonly country: string | null;
  readonly method: string | null;
  readonly reference: string | null;
  readonly bankReference: string | null;
  readonly createdAtMs: number | null;
  readonly confirmedAtMs: number | null;
  readonly ends?: Ends | undefined;
}

/**
 * `both`: an operation was said to be confirmed, and to have failed. It counts as confirmed, until a person asks what it is: then it is `told`,
 * and nothing changes it any more.
 */
export type Ends = 'both' | 'told';

/** An operation as its event has it. */
export interface KnownOperation extends OperationFacts {
  readonly direction: Direction;
  readonly occurredAtMs: number;
  readonly eventId: string;
}

/** All that may be missing. */
export const UNSAID = {
  ...{ direction: null, code: null, failureReason: null, failureMessage: null, amount: null, currency: null },
  ...{ country: null, method: null, reference: null, bankReference: null },
  ...{ createdAtMs: null, confirmedAtMs: null },
} as const satisfies Omit<OperationFacts, 'id' | 'status'>;

/** What was asked for. The id is that of the path, absent where an operation is to be made. */
export type Asked = {
  readonly [Name in (typeof COMPARED)[number]]?: OperationFacts[Name] | undefined;
};

/** The operation that something became, as a store keeps it. */
export interface KeptOperation {
  /** Its id; null where there is none. */
  readonly operation: string | null;
  /** As it was last seen; null where there is none. */
  readonly status: string | null;
  /** When it was made, in milliseconds of the service's time; null where it does not say. */
  readonly operationAtMs: number | null;
}

/** What a store holds of a reference: where that is an operation, its own answer or a read of it has settled it there. */
export interface HeldOperation extends Partial<KeptOperation> {
  readonly amount: string;
  readonly currency: string;
}

type Members = Readonly<Record<string, unknown>>;

/** The operation in a parsed answer, or in `data` of an event; null where it is none (no `id` or no `status`). */
export function readOperation(value: unknown): OperationFacts | null {
  if (!isObject(value)) return null;
  const [id, status] = [textOf(value['id']), textOf(value['status'])];
  if (id === null || id === '' || status === null || status === '') return null;
  const failure = isObject(value['failure']) ? value['failure'] : {};
  const pendingReason = isFinal(status) ? null : textOf(value['pending_reason']);
  return {
    // First: what an object literal begins with is copied many times faster than what stands further on.
    ...askedOf(value, value['type']),
    id: idInOneCase(id),
    status,
    code: textOf(failure['code']) ?? pendingReason,
    failureReason: textOf(failure['reason']),
    failureMessage: textOf(failure['message']),
    bankReference: textOf(value['bank_reference']),
    createdAtMs: momentMs(value['created_at']),
    confirmedAtMs: momentMs(value['confirmed_at']),
  };
}

/** What the parsed body of a create asks for. */
export function askedOf(body: Members, direction: unknown) {
  const amount = body['amount'];
  return {
    direction: DIRECTIONS.find((known) => known === direction) ?? null,
    // A service that writes amounts as numbers means the same by them.
    amount: typeof amount === 'number' ? String(amount) : textOf(amount),
    currency: textOf(body['currency']),
    country: textOf(body['country']),
    method: textOf(body['method']),
    reference: textOf(body['reference']),
  };
}

/**
 * The operation in a parsed event with an id.
 * @returns null for `test.ping` and for types that are not known; a text, as a clause, says why it can't be believed
 */
export function readEventOperation(eventId: string, event: Members): KnownOperation | string | null {
  const [noun, said, ...more] = textOf(event['type'])?.split('.') ?? [];
  const direction = DIRECTIONS.find((known) => known === noun);
  if (direction === undefined || said === undefined || !isFinal(said) || more.length > 0) return null;
  const operation = readOperation(event['data']);
  if (operation === null) return 'has no operation';
  const occurredAtMs = momentMs(event['occurred_at']);
  if (occurredAtMs === null) return 'has no time of occurrence';
  // Of "confirmed" and "failed" neither may be believed: one would be paid twice, the other never.
  const isKnownStatus = isFinal(operation.status) || operation.status === 'pending';
  if (isKnownStatus && operation.status !== said)
    return `says ${said}, but its operation says ${operation.status}`;
  return { ...operation, direction: operation.direction ?? direction, occurredAtMs, eventId };
}

/**
 * Which of two events about one operation counts, whatever the order in which they come. An operation has one event, so they are the
 * same unless the service is wrong; then the one that keeps it from being paid again.
 */
export function preferred<Known extends Pick<KnownOperation, 'status' | 'eventId' | 'occurredAtMs'>>(
  known: Known,
  seen: Known,
): Known {
  if (isContradicted(known, seen)) return known.status === 'failed' ? seen : known;
  // The same event once more: what it says now.
  if (known.eventId === seen.eventId) return seen;
  if (known.occurredAtMs !== seen.occurredAtMs) return known.occurredAtMs < seen.occurredAtMs ? known : seen;
  return known.eventId < seen.eventId ? known : seen;
}

/** What two sayings make of an operation: whether the second takes the place of the first, and what is known of its ends then. */
export function merged(
  known: KnownOperation,
  seen: KnownOperation,
): { readonly isSeen: boolean; readonly ends?: Ends } {
  if (known.ends === 'told' || seen.ends === 'told') return { isSeen: seen.ends === 'told', ends: 'told' };
  const isBoth = [known.ends, seen.ends].includes('both') || isContradicted(known, seen);
  return { isSeen: preferred(known, seen) === seen, ...(isBoth ? { ends: 'both' } : {}) };
}

/** True where one of them says that it failed, and the other one that it did not. */
function isContradicted(
  known: Pick<KnownOperation, 'status'>,
  seen: Pick<KnownOperation, 'status'>,
): boolean {
  return (known.status === 'failed') !== (seen.status === 'failed');
}

/**
 * The same in SQL: whether the row that is seen (`excluded`) takes the place of the one that is known (`o`).
 * @param event the column of the event's id @param collate what makes texts compare by their bytes
 */
export function preferredSql(event: string, collate: string): string {
  return `CASE WHEN (o.status = 'failed') <> (excluded.status = 'failed') THEN o.status = 'failed'
    WHEN o.${event} = excluded.${event} THEN true
    WHEN o.occurred_at <> excluded.occurred_at THEN excluded.occurred_at < o.occurred_at
    ELSE excluded.${event}${collate} < o.${event}${collate} END`;
}

/**
 * What of an operation is not what was asked for, as a clause; null where all of it is. What either of the two does not say is not
 * compared: an amount as a number, id, country and currency in either case, the rest as text.
 */
export function differenceOf(asked: Asked, operation: OperationFacts): string | null {
  for (const name of COMPARED) {
    const [wanted, is] = [asked[name] ?? null, operation[name]];
    if (wanted === null || is === null || isSame[name](wanted, is)) continue;
    if (name === 'id') return `the answer is about operation ${is}, but svc asked for ${wanted}`;
    if (name === 'direction') return `the answer is about a ${is}, but svc asked for a ${wanted}`;
    if (name === 'reference') return 'the answer has a different reference';
    return `the answer has the ${name} ${is}, but svc sent ${wanted}`;
  }
  return null;
}

/** True where a payment is of that amount, currency and direction; what it does not say of itself is no agreement. */
export function agrees(
  asked: Readonly<Record<'amount' | 'currency' | 'direction', string>>,
  payment: Asked,
): boolean {
  return (['amount', 'currency', 'direction'] as const).every((name) => {
    const is = payment[name] ?? null;
    return is !== null && isSame[name](asked[name], is);
  });
}

/**
 * True for an operation that was there before these bytes first left: it is an older payment, no matter who made it. One that does not say when
 * it was made is not.
 * @param firstLeftMs in the service's time
 */
export function isOlder({ createdAtMs }: Pick<OperationFacts, 'createdAtMs'>, firstLeftMs: number): boolean {
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

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
