/** Users query the columns of `svc_events` and `svc_operations`, so a release may add columns, but never renames or removes one. */
import { jsonIn, foldJson } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { createHash } from 'node:crypto';
import { isDecimal } from '../../contract/money.js';
import { normalizeId, momentMs, momentText } from '../../contract/notation.js';
import { type KnownOperation, readEventOperation } from '../../contract/operation-facts.js';
import { storableText } from '../../storage/postgres/sql.js';
import { bytesOf, type FeedEvent, type Page } from '../../feed/walk.js';

interface EventRow extends Readonly<Record<'type' | 'occurred_at' | 'operation' | 'raw', string | null>> {
  readonly id: string;
  readonly raw_bytes: Uint8Array | null;
}

export type NumberedEvent = EventRow & { readonly number: number };

export type OperationRow = Pick<KnownOperation, 'eventId' | 'occurredAtMs'> &
  Readonly<Record<'id' | 'direction' | 'status' | 'occurred_at' | 'event', string>> &
  Readonly<Record<'failure_code' | 'failure_reason' | 'amount' | 'currency' | 'country', string | null>> &
  Readonly<Record<'method' | 'reference' | 'bank_reference' | 'created_at' | 'confirmed_at', string | null>>;

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Longer ids are replaced by their digest, because an index of PostgreSQL takes no long texts. */
const ID_CHARACTERS_MAX = 200;
const AMOUNT_CHARACTERS_MAX = 100;
/** PostgreSQL cannot store NUL, or a surrogate without its pair. */
const MAYBE_UNSTORABLE = /[\0\ud800-\udfff]/;
const FIRST_MOMENT_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MOMENT_MS = Date.parse('9999-12-31T23:59:59.999Z');

export function rowsOf(
  page: Pick<Page, 'body'>,
  event: FeedEvent,
): { readonly event: EventRow; readonly operation: OperationRow | null } {
  const bytes = bytesOf(page, event);
  const id = storableId(event.id);
  const json = textIn(bytes);
  const value = jsonIn(json.text);
  if (value === undefined) {
    const emptyColumns = { type: null, occurred_at: null, operation: null, raw: null };
    return { event: { id, ...emptyColumns, raw_bytes: bytes }, operation: null };
  }
  const raw = storableJson(json.text, value);
  const members = isObject(value) ? value : {};
  const operation = isObject(members['data']) ? members['data']['id'] : null;
  const row = {
    id,
    type: textOf(members['type']),
    occurred_at: momentAt(momentMs(members['occurred_at'])),
    operation: typeof operation === 'string' && operation !== '' ? storableId(normalizeId(operation)) : null,
    raw: raw?.text ?? null,
    raw_bytes: raw?.isUnchanged === true && json.isValidUtf8 ? null : bytes,
  };
  return { event: row, operation: operationOf(members, row) };
}

function operationOf(
  members: Readonly<Record<string, unknown>>,
  { id: event, occurred_at: occurredAt }: EventRow,
): OperationRow | null {
  const operation = readEventOperation(event, members);
  if (operation === null || typeof operation === 'string' || occurredAt === null) return null;
  const { amount, eventId, occurredAtMs, direction } = operation;
  return {
    ...{ eventId, occurredAtMs, direction },
    id: storableId(operation.id),
    status: textOf(operation.status) ?? '',
    failure_code: textOf(operation.code),
    failure_reason: textOf(operation.failureReason),
    amount: amount !== null && amount.length <= AMOUNT_CHARACTERS_MAX && isDecimal(amount) ? amount : null,
    currency: textOf(operation.currency),
    country: textOf(operation.country),
    method: textOf(operation.method),
    reference: textOf(operation.reference),
    bank_reference: textOf(operation.bankReference),
    created_at: momentAt(operation.createdAtMs),
    confirmed_at: momentAt(operation.confirmedAtMs),
    occurred_at: occurredAt,
    event,
  };
}

function storableId(id: string): string {
  if (id.length <= ID_CHARACTERS_MAX && (!MAYBE_UNSTORABLE.test(id) || storableText(id) === id)) return id;
  return `sha256:${createHash('sha256').update(Buffer.from(id, 'utf16le')).digest('hex')}`;
}

const momentCache = new Map<number, string>();
const CACHED_MOMENTS_MAX = 1000;

function momentAt(ms: number | null): string | null {
  if (ms === null || ms < FIRST_MOMENT_MS || ms > LAST_MOMENT_MS) return null;
  const cached = momentCache.get(ms);
  if (cached !== undefined) return cached;
  if (momentCache.size >= CACHED_MOMENTS_MAX) momentCache.clear();
  const moment = momentText(ms);
  momentCache.set(ms, moment);
  return moment;
}

function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  return MAYBE_UNSTORABLE.test(value) ? storableText(value) : value;
}

function textIn(bytes: Uint8Array): { readonly text: string; readonly isValidUtf8: boolean } {
  try {
    return { text: UTF_8.decode(bytes), isValidUtf8: true };
  } catch {
    return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), isValidUtf8: false };
  }
}

export const EVENT_COLUMNS = {
  number: 'bigint',
  id: 'text',
  type: 'text',
  occurred_at: 'timestamptz',
  operation: 'text',
  raw: 'jsonb',
  raw_bytes: 'bytea',
} as const satisfies Readonly<Record<keyof NumberedEvent, string>>;

export const OPERATION_COLUMNS = {
  id: 'text',
  direction: 'text',
  status: 'text',
  failure_code: 'text',
  failure_reason: 'text',
  amount: 'numeric',
  currency: 'text',
  country: 'text',
  method: 'text',
  reference: 'text',
  bank_reference: 'text',
  created_at: 'timestamptz',
  confirmed_at: 'timestamptz',
  occurred_at: 'timestamptz',
  event: 'text',
} as const satisfies Readonly<Record<Exclude<keyof OperationRow, 'eventId' | 'occurredAtMs'>, string>>;

export const EVENT_NAMES = Object.keys(EVENT_COLUMNS) as (keyof typeof EVENT_COLUMNS)[];
export const OPERATION_NAMES = Object.keys(OPERATION_COLUMNS) as (keyof typeof OPERATION_COLUMNS)[];
export const UPDATED_COLUMNS = EVENT_NAMES.filter((name) => name !== 'number' && name !== 'id');

const CONSTRAINTS: Readonly<Record<string, string>> = {
  'svc_events.number': ' PRIMARY KEY',
  'svc_events.id': ' NOT NULL UNIQUE',
  'svc_operations.id': ' PRIMARY KEY',
  'svc_operations.direction': ' NOT NULL',
  'svc_operations.status': ' NOT NULL',
  'svc_operations.occurred_at': ' NOT NULL',
  'svc_operations.event': ' NOT NULL',
};

export function columnLines(
  table: 'svc_events' | 'svc_operations',
  typeOf: (type: string, name: string) => string,
): string {
  const columns = table === 'svc_events' ? EVENT_COLUMNS : OPERATION_COLUMNS;
  const lines = Object.entries(columns).map(
    ([name, type]) => `  ${name} ${typeOf(type, name)}${CONSTRAINTS[`${table}.${name}`] ?? ''}`,
  );
  return lines.join(',\n');
}

const SHORT_CHARACTERS_MAX = 4000;
const DEPTH_MAX = 500;
const STORABLE_NUMBER = /^-?[0-9]{1,1000}(\.[0-9]{1,1000})?([eE][+-]?[0-9]{1,3})?$/;

export function storableJson(text: string, value: unknown): { text: string; isUnchanged: boolean } | null {
  // Text equal to the output of `JSON.stringify` can be stored as it is, because it repeats no member name and has only
  // plain numbers.
  if (text.length <= SHORT_CHARACTERS_MAX && !text.includes('\\u') && JSON.stringify(value) === text)
    return { text, isUnchanged: true };
  let isUnchanged = true as boolean;
  const string = (raw: string): string => {
    const decoded = JSON.parse(raw) as string;
    const storedText = storableText(decoded);
    if (storedText === decoded) return raw;
    isUnchanged = false;
    return JSON.stringify(storedText);
  };
  const scalar = (raw: string): string => {
    if (/^[tfn]/.test(raw) || STORABLE_NUMBER.test(raw)) return raw;
    isUnchanged = false;
    return JSON.stringify(raw);
  };
  const object = (members: readonly (readonly [name: string, value: string])[]): string => {
    const entries = members.map(([name, inner]) => [string(name), inner] as const);
    const names = new Set(entries.map(([name]) => JSON.parse(name) as string));
    if (names.size < entries.length) isUnchanged = false;
    return `{${entries.map(([name, inner]) => `${name}:${inner}`).join(',')}}`;
  };
  const array = (items: readonly string[]): string => `[${items.join(',')}]`;
  const rebuilt = foldJson(text, { string, scalar, array, object }, DEPTH_MAX);
  return rebuilt === null ? null : { text: isUnchanged ? text : rebuilt, isUnchanged };
}
