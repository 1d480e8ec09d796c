/** Rows of the shared book as requests. */
import { bodyMark } from '../../contract/marks.js';
import { Failure } from '../../runtime/failure.js';
import type { Connection } from '../../state/connection.js';
import { mayOnlyRead } from '../../state/failures.js';
import type { StateKey } from '../../state/key.js';
import type { REQUEST_COLUMNS } from '../../state/journal-tables.js';
import type { SharedRecord } from '../../state/table.js';
import { keptRequestOf } from '../records.js';
import type { KeptRequest, LastSending, Leaving, OpenRequest } from '../request.js';
import { REQUEST, REQUEST_WITHOUT_BODY, requestsNow, requestsWith } from './statements.js';

export interface JournalWorld {
  readonly connection: Connection;
  /** Who sends, as others see it. */
  readonly name: string;
  /** For how long a sending may still be answered, and what was recorded may be asked about. */
  readonly answerMs: number;
  /** Another one each time: says which of two sendings is which. */
  readonly newToken: () => string;
  /** Null where bodies are kept as they are. */
  readonly key: StateKey | null;
}

/** A request as PostgreSQL answers it. */
export interface SharedRequest extends Omit<SharedRecord<typeof REQUEST_COLUMNS>, 'request'> {
  readonly row: number;
  readonly kept_for_ms: number | null;
  readonly last_sending: { readonly by: string; readonly until: number | null } | null;
}

/** The requests for which this holds. @param rest behind what every request fulfils */
export async function requestsWhere(
  { connection, key }: JournalWorld,
  rest: string,
  ...values: readonly unknown[]
): Promise<KeptRequest[]> {
  const { rows } = await connection.run<SharedRequest>(requestsWith(REQUEST, rest), values);
  return rows.map((record) => sharedRequestOf(record, key));
}

/** The same; without their bytes where this user may not read them. */
export async function shownWhere(
  world: JournalWorld,
  rest: string,
  ...values: readonly unknown[]
): Promise<KeptRequest[]> {
  return shown(() => requestsWhere(world, rest, ...values), world, rest, values);
}

/** The same, where whoever asks may be about to send: what is not among them can't leave. */
export async function standingWhere(
  world: JournalWorld,
  rest: string,
  ...values: readonly unknown[]
): Promise<KeptRequest[]> {
  const ask = async (): Promise<KeptRequest[]> => {
    const { rows } = await world.connection.run<SharedRequest>(requestsNow(rest), values);
    return rows.map((record) => sharedRequestOf(record, world.key));
  };
  return shown(ask, world, rest, values);
}

const IN_ORDER = 'ORDER BY coalesce(r.left_service_at, r.left_wall_at), r.request';

/** Every open one, or what has this key. */
export async function openRequestsIn(world: JournalWorld, key?: string): Promise<OpenRequest[]> {
  const open = "r.sendings <> '{}' AND r.body IS NOT NULL AND ($1::text IS NULL OR r.idempotency_key = $1)";
  const requests = await requestsWhere(world, `${open} ${IN_ORDER}`, key ?? null);
  return requests.filter((request): request is OpenRequest => request.state === 'open');
}

/** Every open one; without its bytes where this user may not read them. */
export function listedRequestsIn(world: JournalWorld): Promise<KeptRequest[]> {
  const open = `r.sendings <> '{}' AND NOT r.is_forgotten ${IN_ORDER}`;
  return shown(() => openRequestsIn(world), world, open, []);
}

/** What it answers; where this user may not read what is personal, what this holds for without that. */
async function shown(
  ask: () => Promise<KeptRequest[]>,
  { connection, key }: JournalWorld,
  rest: string,
  values: readonly unknown[],
): Promise<KeptRequest[]> {
  try {
    return await ask();
  } catch (error) {
    if (!mayOnlyRead(error)) throw error;
  }
  const { rows } = await connection.run<SharedRequest>(requestsWith(REQUEST_WITHOUT_BODY, rest), values);
  return rows.map((record) => sharedRequestOf(record, key));
}

/** @throws Failure `store_damaged` for a body that is not what was put there */
export function sharedRequestOf(record: SharedRequest, key: StateKey | null): KeptRequest {
  const sendings = Object.keys(record.sendings).length;
  const request = keptRequestOf({ ...record, open_sendings: sendings, body: null });
  const { left } = request;
  const { left_at: sharedMs, kept_for_ms: keptForMs } = record;
  return {
    ...request,
    ...(left === null || sharedMs === null ? {} : { left: { ...left, sharedMs } }),
    ...(keptForMs === null ? {} : { keptForMs }),
    ...(record.last_sending === null ? {} : { lastSending: lastSendingOf(record.last_sending) }),
    body: record.body === null ? null : revealed(record.body, request, key),
  };
}

function lastSendingOf({ by, until }: NonNullable<SharedRequest['last_sending']>): LastSending {
  return { by, underWayUntilMs: until };
}

/** A body belongs to its request: with another key or to another path it would be another payment. */
export function hidden(body: Uint8Array, request: Bound, key: StateKey | null): Buffer {
  return Buffer.from(key === null ? body : key.hide(body, placeOf(request)));
}

function revealed(kept: Uint8Array, request: KeptRequest, key: StateKey | null): Uint8Array {
  const body = key === null ? kept : key.reveal(kept, placeOf(request));
  if (body !== null && Buffer.compare(bodyMark(body), request.bodyMark) === 0) return body;
  throw new Failure(
    'local_state',
    `Somebody or something changed the database of the shared state: the request with the key ${request.idempotencyKey} is not what was sent. ` +
      'Nothing was sent. Find out who can write there. Look for its reference in "svc events list --all".',
    { code: 'store_damaged', outcome: 'unknown', idempotencyKey: request.idempotencyKey },
  );
}

type Bound = Pick<Leaving, 'idempotencyKey' | 'environment' | 'endpoint' | 'path'>;

function placeOf({ environment, endpoint, path, idempotencyKey }: Bound): string {
  return ['svc request', environment, endpoint, path, idempotencyKey].join('\0');
}
