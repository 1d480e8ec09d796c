import { isObject } from './shape.js';
import { SERVICE_CLOCKS_MS } from './limits.js';
import { compareDecimals, isDecimal } from './money.js';
import { normalizeId, isSameId, momentMs } from './notation.js';
import { type Direction, DIRECTIONS, isFinal } from './operation.js';

/** A fact that is null is unknown. */
export interface OperationFacts {
  readonly id: string;
  readonly status: string;
  readonly direction: Direction | null;
  readonly code: string | null;
  readonly failureReason: string | null;
  readonly failureMessage: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly country: string | null;
  readonly method: string | null;
  readonly reference: string | null;
  readonly bankReference: string | null;
  readonly createdAtMs: number | null;
  readonly confirmedAtMs: number | null;
  readonly ends?: Contradiction | undefined;
}

/**
 * `both` means that the service said `confirmed` and `failed`, and `told` means that a person has since asked it which
 * is true.
 */
export type Contradiction = 'both' | 'told';

export interface KnownOperation extends OperationFacts {
  readonly direction: Direction;
  readonly occurredAtMs: number;
  readonly eventId: string;
}

export const NO_FACTS = {
  ...{ direction: null, code: null, failureReason: null, failureMessage: null, amount: null, currency: null },
  ...{ country: null, method: null, reference: null, bankReference: null },
  ...{ createdAtMs: null, confirmedAtMs: null },
} as const satisfies Omit<OperationFacts, 'id' | 'status'>;

export type RequestedOperation = {
  readonly [Name in (typeof COMPARED_FACTS)[number]]?: OperationFacts[Name] | undefined;
};

export interface StoredOperation {
  readonly operation: string | null;
  readonly status: string | null;
  readonly operationAtMs: number | null;
}

export interface StoredPayment extends Partial<StoredOperation> {
  readonly amount: string;
  readonly currency: string;
}

type Members = Readonly<Record<string, unknown>>;

export function readOperation(value: unknown): OperationFacts | null {
  if (!isObject(value)) return null;
  const [id, status] = [textOf(value['id']), textOf(value['status'])];
  if (id === null || id === '' || status === null || status === '') return null;
  const failure = isObject(value['failure']) ? value['failure'] : {};
  const pendingReason = isFinal(status) ? null : textOf(value['pending_reason']);
  return {
    ...requestedFacts(value, value['type']),
    id: normalizeId(id),
    status,
    code: textOf(failure['code']) ?? pendingReason,
    failureReason: textOf(failure['reason']),
    failureMessage: textOf(failure['message']),
    bankReference: textOf(value['bank_reference']),
    createdAtMs: momentMs(value['created_at']),
    confirmedAtMs: momentMs(value['confirmed_at']),
  };
}

export function requestedFacts(body: Members, direction: unknown) {
  const amount = body['amount'];
  return {
    direction: DIRECTIONS.find((one) => one === direction) ?? null,
    // A service may write amounts as numbers.
    amount: typeof amount === 'number' ? String(amount) : textOf(amount),
    currency: textOf(body['currency']),
    country: textOf(body['country']),
    method: textOf(body['method']),
    reference: textOf(body['reference']),
  };
}

export function readEventOperation(eventId: string, event: Members): KnownOperation | string | null {
  const [noun, status, ...otherWords] = textOf(event['type'])?.split('.') ?? [];
  const direction = DIRECTIONS.find((one) => one === noun);
  if (direction === undefined || status === undefined || !isFinal(status) || otherWords.length > 0)
    return null;
  const operation = readOperation(event['data']);
  if (operation === null) return 'has no operation';
  const occurredAtMs = momentMs(event['occurred_at']);
  if (occurredAtMs === null) return 'has no time of occurrence';
  // An event whose type and operation differ is refused, because with a wrong status svc could pay twice.
  const isKnownStatus = isFinal(operation.status) || operation.status === 'pending';
  if (isKnownStatus && operation.status !== status)
    return `says ${status}, but its operation says ${operation.status}`;
  return { ...operation, direction: operation.direction ?? direction, occurredAtMs, eventId };
}

/** A `confirmed` event beats a `failed` one, because a payment that counts as failed may be made again. */
export function chooseEvent<Event extends Pick<KnownOperation, 'status' | 'eventId' | 'occurredAtMs'>>(
  stored: Event,
  incoming: Event,
): Event {
  if (isContradicted(stored, incoming)) return stored.status === 'failed' ? incoming : stored;
  if (stored.eventId === incoming.eventId) return incoming;
  if (stored.occurredAtMs !== incoming.occurredAtMs)
    return stored.occurredAtMs < incoming.occurredAtMs ? stored : incoming;
  return stored.eventId < incoming.eventId ? stored : incoming;
}

export function mergeOperations(
  stored: KnownOperation,
  incoming: KnownOperation,
): { readonly replaces: boolean; readonly ends?: Contradiction } {
  if (stored.ends === 'told' || incoming.ends === 'told')
    return { replaces: incoming.ends === 'told', ends: 'told' };
  const isBoth = [stored.ends, incoming.ends].includes('both') || isContradicted(stored, incoming);
  return { replaces: chooseEvent(stored, incoming) === incoming, ...(isBoth ? { ends: 'both' } : {}) };
}

function isContradicted(one: Pick<KnownOperation, 'status'>, other: Pick<KnownOperation, 'status'>): boolean {
  return (one.status === 'failed') !== (other.status === 'failed');
}

export function preferredSql(eventColumn: string, collate: string): string {
  return `CASE WHEN (o.status = 'failed') <> (excluded.status = 'failed') THEN o.status = 'failed'
    WHEN o.${eventColumn} = excluded.${eventColumn} THEN true
    WHEN o.occurred_at <> excluded.occurred_at THEN excluded.occurred_at < o.occurred_at
    ELSE excluded.${eventColumn}${collate} < o.${eventColumn}${collate} END`;
}

export function differenceOf(request: RequestedOperation, operation: OperationFacts): string | null {
  for (const name of COMPARED_FACTS) {
    const [wanted, actual] = [request[name] ?? null, operation[name]];
    if (wanted === null || actual === null || comparators[name](wanted, actual)) continue;
    if (name === 'id') return `the answer is about operation ${actual}, but svc asked for ${wanted}`;
    if (name === 'direction') return `the answer is about a ${actual}, but svc asked for a ${wanted}`;
    if (name === 'reference') return 'the answer has a different reference';
    return `the answer has the ${name} ${actual}, but svc sent ${wanted}`;
  }
  return null;
}

export function matchesPayment(
  wanted: Readonly<Record<'amount' | 'currency' | 'direction', string>>,
  payment: RequestedOperation,
): boolean {
  return (['amount', 'currency', 'direction'] as const).every((name) => {
    const actual = payment[name] ?? null;
    return actual !== null && comparators[name](wanted[name], actual);
  });
}

export function isOlder({ createdAtMs }: Pick<OperationFacts, 'createdAtMs'>, firstLeftMs: number): boolean {
  return createdAtMs !== null && createdAtMs < firstLeftMs - SERVICE_CLOCKS_MS;
}

const COMPARED_FACTS = ['id', 'amount', 'currency', 'country', 'method', 'direction', 'reference'] as const;

const isEqual = (a: string, b: string): boolean => a === b;
const isEqualInAnyCase = (a: string, b: string): boolean => a.toUpperCase() === b.toUpperCase();

const comparators: Readonly<Record<(typeof COMPARED_FACTS)[number], (a: string, b: string) => boolean>> = {
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
