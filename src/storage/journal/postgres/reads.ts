import { bodyMark } from '../../../contract/marks.js';
import { Failure } from '../../../runtime/failure.js';
import type { Connection } from '../../postgres/connection.js';
import { mayOnlyRead } from '../../postgres/failures.js';
import type { StateKey } from '../../postgres/key.js';
import { REQUEST_COLUMNS } from '../tables.js';
import { NOW_MS } from '../../postgres/sql.js';
import { columnsIn, columnList, type SharedRecord } from '../../tables/column-tables.js';
import { requestOf } from '../records.js';
import type { JournalRequest, UnsentRequest, OpenRequest } from '../request.js';

export const IS_PRESENT = "(r.left_at IS NULL OR r.sendings <> '{}' OR r.operation IS NOT NULL)";

const NAMES_WITHOUT_BODY = columnsIn('shared', REQUEST_COLUMNS).filter(
  (name) => name !== 'request' && name !== 'body',
);

const columnsWith = (body: string): string => `
r.request AS "row", ${columnList(NAMES_WITHOUT_BODY, 'r')}, ${body}, ${NOW_MS} - r.left_at AS kept_for_ms,
  (SELECT jsonb_build_object('by', s.by, 'until', CASE WHEN s.is_over THEN NULL ELSE s.until END) FROM (
    SELECT v.value ->> 'by' AS by, (v.value ->> 'until')::bigint AS until,
      v.value ? 'over' OR (v.value ->> 'until')::bigint <= ${NOW_MS} AS is_over
    FROM jsonb_each(CASE WHEN r.left_at IS NULL THEN r.owners ELSE r.sendings END) v) s
    ORDER BY s.is_over, s.until DESC LIMIT 1) AS last_sending`;
const COLUMNS = columnsWith('r.body');
const COLUMNS_WITHOUT_BODY = columnsWith('NULL::bytea AS body');

const DEAD_RECORDS = `buried AS (
  DELETE FROM svc.requests b WHERE b.body IS NOT NULL AND b.left_at IS NULL
  AND NOT EXISTS (SELECT FROM jsonb_each(b.owners) o WHERE (o.value ->> 'until')::bigint > ${NOW_MS}) RETURNING b.request
)`;
const IS_NOT_DEAD = 'r.request NOT IN (SELECT request FROM buried)';

export const REQUESTS_LIKE = `
WITH ${DEAD_RECORDS}
SELECT c.requests AS seen, ${COLUMNS} FROM svc.changes c LEFT JOIN svc.requests r
ON r.environment = $1 AND (r.idempotency_key = $2 OR (r.body IS NOT NULL AND r.left_at IS NULL)) AND ${IS_PRESENT} AND ${IS_NOT_DEAD}
ORDER BY r.request`;

const requestsWith = (columns: string, rest: string): string =>
  `SELECT ${columns} FROM svc.requests r WHERE ${IS_PRESENT} AND ${rest}`;

export const HAS_LEFT = 'r.left_at IS NOT NULL';

export const REQUEST_EXISTS = 'SELECT 1 FROM svc.requests WHERE request = $1 AND idempotency_key = $2';

export const KEY_HAS_LEFT = `
SELECT EXISTS (SELECT FROM svc.requests r WHERE ${IS_PRESENT} AND ${HAS_LEFT} AND r.idempotency_key = $1) AS known`;

export const NEWEST_TIME = `
SELECT boot, boot_at, service_at FROM svc.times WHERE environment = $1 AND origin = $2 ORDER BY (boot = $3) DESC, service_at DESC LIMIT 1`;

export interface JournalWorld {
  readonly connection: Connection;
  readonly name: string;
  readonly answerMs: number;
  readonly newToken: () => string;
  readonly key: StateKey | null;
}

export interface SharedRequest extends Omit<SharedRecord<typeof REQUEST_COLUMNS>, 'request'> {
  readonly row: number;
  readonly kept_for_ms: number | null;
  readonly last_sending: { readonly by: string; readonly until: number | null } | null;
}

const ORDER_OF_LEAVING = 'ORDER BY coalesce(r.left_service_at, r.left_wall_at), r.request';

type Select = (rest: string, ...values: readonly unknown[]) => Promise<JournalRequest[]>;

export function requestReads({ connection, key }: JournalWorld) {
  const ask = async (sql: string, values: readonly unknown[]): Promise<JournalRequest[]> => {
    const { rows } = await connection.run<SharedRequest>(sql, values);
    return rows.map((record) => sharedRequestOf(record, key));
  };
  const find: Select = (rest, ...values) => ask(requestsWith(COLUMNS, rest), values);
  const orWithoutBodies = (
    requests: Promise<JournalRequest[]>,
    rest: string,
    values: readonly unknown[] = [],
  ): Promise<JournalRequest[]> =>
    requests.catch((error: unknown) => {
      if (!mayOnlyRead(error)) throw error;
      return ask(requestsWith(COLUMNS_WITHOUT_BODY, rest), values);
    });
  const open = async (idempotencyKey?: string): Promise<OpenRequest[]> => {
    const isOpen =
      "r.sendings <> '{}' AND r.body IS NOT NULL AND ($1::text IS NULL OR r.idempotency_key = $1)";
    const requests = await find(`${isOpen} ${ORDER_OF_LEAVING}`, idempotencyKey ?? null);
    return requests.filter((request): request is OpenRequest => request.state === 'open');
  };
  const findShown: Select = (rest, ...values) => orWithoutBodies(find(rest, ...values), rest, values);
  const findLiving: Select = (rest, ...values) => {
    const sql = `WITH ${DEAD_RECORDS} ${requestsWith(COLUMNS, `${IS_NOT_DEAD} AND ${rest}`)}`;
    return orWithoutBodies(ask(sql, values), rest, values);
  };
  const openForDisplay = (): Promise<JournalRequest[]> =>
    orWithoutBodies(open(), `r.sendings <> '{}' AND NOT r.is_forgotten ${ORDER_OF_LEAVING}`);
  return { find, findShown, findLiving, open, openForDisplay };
}

export function sharedRequestOf(record: SharedRequest, key: StateKey | null): JournalRequest {
  const sendings = Object.keys(record.sendings).length;
  const request = requestOf({ ...record, open_sendings: sendings, body: null });
  const { left } = request;
  const { left_at: sharedMs, kept_for_ms: keptForMs, last_sending: lastSending } = record;
  return {
    ...request,
    ...(left === null || sharedMs === null ? {} : { left: { ...left, sharedMs } }),
    ...(keptForMs === null ? {} : { keptForMs }),
    ...(lastSending === null
      ? {}
      : { lastSending: { by: lastSending.by, underWayUntilMs: lastSending.until } }),
    body: record.body === null ? null : decryptBody(record.body, request, key),
  };
}

/**
 * The encryption ties a body to its idempotency key and path, because the body could otherwise be sent with another
 * key and pay again.
 */
export function encryptBody(body: Uint8Array, request: BodyContext, key: StateKey | null): Buffer {
  return Buffer.from(key === null ? body : key.hide(body, contextOf(request)));
}

function decryptBody(storedBody: Uint8Array, request: JournalRequest, key: StateKey | null): Uint8Array {
  const body = key === null ? storedBody : key.reveal(storedBody, contextOf(request));
  if (body !== null && Buffer.compare(bodyMark(body), request.bodyMark) === 0) return body;
  const text =
    `Somebody or something changed the database of the shared state: the request with the key ${request.idempotencyKey} is not what was sent. ` +
    'Nothing was sent. Find out who can write there. Look for its reference in "svc events list --all".';
  throw new Failure('local_state', text, {
    code: 'store_damaged',
    outcome: 'unknown',
    idempotencyKey: request.idempotencyKey,
  });
}

type BodyContext = Pick<UnsentRequest, 'idempotencyKey' | 'environment' | 'endpoint' | 'path'>;

function contextOf({ environment, endpoint, path, idempotencyKey }: BodyContext): string {
  return ['svc request', environment, endpoint, path, idempotencyKey].join('\0');
}
