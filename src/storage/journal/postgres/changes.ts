/** Each statement must be correct if it runs twice, because it is repeated after a lost answer. */
import { CONTRADICTED, GONE } from '../../../contract/operation.js';
import { RECORDED_COLUMNS } from '../tables.js';
import { DURABLE, NOW_MS } from '../../postgres/sql.js';
import { columnList } from '../../tables/column-tables.js';
import { mergedStatusSql } from '../records.js';
import { HAS_LEFT, IS_PRESENT } from './reads.js';

/** The parameters from `$first` on: token, sender, milliseconds in which an answer may come. */
const sendingSql = (first: number): string =>
  `jsonb_build_object($${String(first)}::text, jsonb_build_object('by', $${String(first + 1)}::text, 'until', ${NOW_MS} + $${String(first + 2)}::bigint))`;

const NOTE_TIME = `ON CONFLICT (environment, origin, boot) DO UPDATE SET service_at = excluded.service_at, boot_at = excluded.boot_at
  WHERE excluded.service_at > t.service_at OR t.environment = 'sandbox'`;

const noteTimeSql = (first: number): string => {
  const [boot, bootAt, serviceAt] = [0, 1, 2].map((next) => `$${String(first + next)}`);
  return `noted AS (
  INSERT INTO svc.times AS t (environment, origin, boot, boot_at, service_at)
  SELECT p.environment, p.origin, ${boot}::text, ${bootAt}::bigint, ${serviceAt}::bigint FROM svc.requests p
  WHERE p.request = $1 AND ${boot}::text IS NOT NULL ${NOTE_TIME}
)`;
};

export const SET_TIME = `
INSERT INTO svc.times AS t (environment, origin, boot, boot_at, service_at) VALUES ($1, $2, $3, $4, $5) ${NOTE_TIME}`;

/**
 * A row number is at least the present time in milliseconds, because a server that took over may have
 * forgotten the last numbers.
 */
export const RECORD_REQUEST = `
WITH control AS (SELECT set_config('synchronous_commit', CASE WHEN $5::boolean THEN 'on' ELSE 'off' END, true)),
turn AS (
  UPDATE svc.changes SET requests = greatest(requests + 1, ${NOW_MS}) WHERE ($1::bigint IS NULL OR requests = $1) AND EXISTS (SELECT FROM control)
  RETURNING requests
)
INSERT INTO svc.requests (request, token, owners, sendings, recorded_at, ${columnList(RECORDED_COLUMNS)}, left_at, left_service_at, left_wall_at, left_boot, left_boot_at)
SELECT turn.requests, $2, CASE WHEN $5 THEN '{}' ELSE ${sendingSql(2)} END, CASE WHEN $5 THEN ${sendingSql(2)} ELSE '{}' END, ${NOW_MS},
  ${RECORDED_COLUMNS.map((_, at) => `$${String(at + 10)}`).join(', ')}, CASE WHEN $5 THEN ${NOW_MS} END,
  $6::bigint, $7::bigint, $8::text, $9::bigint FROM turn
RETURNING request, recorded_at`;

/** $1 request, $2 token, $3 sender, $4 milliseconds in which an answer may come */
export const JOIN_REQUEST = `
UPDATE svc.requests r SET owners = r.owners || ${sendingSql(2)} WHERE r.request = $1 AND r.left_at IS NULL RETURNING r.request`;

const isUnchanged = (name: string, first: number): string => {
  const [key, recorded, settled, forgotten, mayNotRepeat, operation] = [0, 1, 2, 3, 4, 5].map(
    (next) => `$${String(first + next)}`,
  );
  return `(${name}.idempotency_key = ${key} AND (${name}.left_at IS NULL) = ${recorded}::boolean AND ${name}.operation IS NOT DISTINCT FROM ${operation}::text
  AND ${name}.may_not_repeat = ${mayNotRepeat}::boolean
  AND (${recorded}::boolean OR ((${name}.sendings = '{}') = ${settled}::boolean AND ${name}.is_forgotten = ${forgotten}::boolean)))`;
};

/**
 * $1 request, $2 token, $3 sender, $4 milliseconds in which an answer may come, $5 to $10 the state when
 * the request was read, $11 body, $12 key mask, $13 key print, $14 address, $15 origin, $16 to $19 the time
 * of sending, $20 the replaced request, $21 to $26 its state when it was read, $27 the number of its
 * sendings, $28 to $30 the service's time
 */
export const CLEAR_REQUEST = `
WITH ${DURABLE},
mine AS (
  SELECT r.request, r.sendings ? $2::text AS is_again FROM svc.requests r WHERE r.request = $1 AND (r.sendings ? $2::text OR ${isUnchanged('r', 5)})
  AND EXISTS (SELECT FROM control) FOR UPDATE
),
replaced AS (
  UPDATE svc.requests o SET may_not_repeat = true FROM mine WHERE o.request = $20::bigint
  AND (mine.is_again OR (${isUnchanged('o', 21)} AND (SELECT count(*) FROM jsonb_object_keys(o.sendings)) = $27::integer)) RETURNING o.request
),
${noteTimeSql(28)}
UPDATE svc.requests r SET owners = '{}', sendings = r.sendings || ${sendingSql(2)}, is_forgotten = false, body = coalesce(r.body, $11), key_mask = $12,
  key_print = $13, address = $14, origin = $15, left_at = coalesce(r.left_at, ${NOW_MS}),
  left_service_at = CASE WHEN r.left_at IS NULL THEN $16::bigint ELSE r.left_service_at END,
  left_wall_at = CASE WHEN r.left_at IS NULL THEN $17::bigint ELSE r.left_wall_at END,
  left_boot = CASE WHEN r.left_at IS NULL THEN $18::text ELSE r.left_boot END,
  left_boot_at = CASE WHEN r.left_at IS NULL THEN $19::bigint ELSE r.left_boot_at END
FROM mine WHERE r.request = mine.request AND ($20::bigint IS NULL OR EXISTS (SELECT FROM replaced))
RETURNING r.left_at`;

export const RELEASE_REQUEST = `
WITH gone AS (
  DELETE FROM svc.requests g WHERE g.request = $1 AND g.left_at IS NULL AND g.owners - $2::text = '{}'
)
UPDATE svc.requests r SET owners = r.owners - $2::text WHERE r.request = $1 AND r.left_at IS NULL AND r.owners - $2::text <> '{}'`;

const KEEPS_OPERATION = `(r.operation IS NOT NULL AND r.status <> '${GONE}' AND CASE WHEN lower(r.operation) = lower($2)
  THEN r.status IN ('confirmed', 'failed', '${CONTRADICTED}') ELSE r.status <> 'failed' AND $3 = 'failed' END)`;

/**
 * $1 request, $2 operation, $3 status, $4 when the operation was made, $5 when the request was
 * first sent, $6 the sendings of this process, $7 to $9 the service's time
 */
export const SETTLE_REQUEST = `
WITH ${noteTimeSql(7)}
UPDATE svc.requests r SET sendings = '{}', is_forgotten = false, body = NULL, left_service_at = coalesce($5, r.left_service_at),
  operation = CASE WHEN ${KEEPS_OPERATION} THEN r.operation ELSE $2 END, status = CASE WHEN lower(r.operation) = lower($2) THEN ${mergedStatusSql('r.status', '$3')} WHEN ${KEEPS_OPERATION} THEN r.status ELSE $3 END,
  operation_created_at = CASE WHEN ${KEEPS_OPERATION} THEN r.operation_created_at ELSE $4 END
WHERE r.request = $1 AND ${HAS_LEFT} AND ${IS_PRESENT} AND (r.token = ANY ($6::text[]) OR r.sendings ?| $6::text[] OR lower(r.operation) = lower($2))`;

export const NOTE_STATUS = `
UPDATE svc.requests r SET status = ${mergedStatusSql('r.status', '$2::text')} WHERE r.operation IS NOT NULL AND lower(r.operation) = lower($1)`;

export const REOPEN_REQUEST = `
UPDATE svc.requests r SET status = '${GONE}', is_forgotten = true, sendings = '{"${GONE}": {"by": "${GONE}", "until": 0, "over": true}}'
WHERE lower(r.operation) = lower($1) AND r.sendings = '{}' AND r.status NOT IN ('confirmed', 'failed', '${CONTRADICTED}', '${GONE}')`;

export const SET_STATUS = 'UPDATE svc.requests r SET status = $2 WHERE lower(r.operation) = lower($1)';

/**
 * $1 request, $2 body, $3 when the request was first sent, $4 tokens of the ended sendings, $5 to
 * $7 the service's time
 */
export const KEEP_OPEN = `
WITH ${noteTimeSql(5)}
UPDATE svc.requests r SET body = coalesce(r.body, $2), is_forgotten = false, left_service_at = coalesce($3, r.left_service_at),
  sendings = (SELECT jsonb_object_agg(s.key, CASE WHEN s.key = ANY ($4::text[]) THEN s.value || '{"over": true}' ELSE s.value END)
    FROM jsonb_each(r.sendings) s)
WHERE r.request = $1 AND r.sendings <> '{}' AND (r.token = ANY ($4::text[]) OR r.sendings ?| $4::text[])`;

const PRESENT_OPERATION = `(CASE WHEN r.status <> '${GONE}' THEN r.operation END)`;

export const WITHDRAW_REQUEST = `
UPDATE svc.requests r SET sendings = r.sendings - $2::text, body = CASE WHEN r.sendings - $2::text = '{}' THEN NULL ELSE r.body END
WHERE r.request = $1 AND ${HAS_LEFT}`;

export const REFUTE_REQUEST = `
UPDATE svc.requests r SET sendings = '{}', body = NULL, operation = ${PRESENT_OPERATION}
WHERE r.request = $1 AND ${HAS_LEFT} AND (r.token = ANY ($2::text[]) OR r.sendings ?| $2::text[])`;

export const REMOVE_REQUEST = `
UPDATE svc.requests r SET sendings = '{}', body = NULL, operation = ${PRESENT_OPERATION}
WHERE r.request = $1 AND ${HAS_LEFT} AND (${PRESENT_OPERATION} IS NULL OR r.status = 'failed') AND (SELECT count(*) FROM jsonb_object_keys(r.sendings)) = $2::integer`;

export const TAKEN_OVER_AT = `
WITH moved AS (
  UPDATE svc.changes SET taken_over_at = CASE WHEN cluster IS NULL THEN NULL ELSE ${NOW_MS} END, cluster = $1, timeline = $2
  WHERE cluster IS DISTINCT FROM $1::text OR timeline IS DISTINCT FROM $2::integer RETURNING taken_over_at
)
SELECT CASE WHEN EXISTS (SELECT FROM moved) THEN (SELECT taken_over_at FROM moved) ELSE c.taken_over_at END AS at, ${NOW_MS} AS now
FROM svc.changes c`;

export const NOTE_KEY = `
INSERT INTO svc.key_notes (idempotency_key, environment, origin, key_print, kind, body_mark, body, noted_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (idempotency_key, environment, key_print, kind, body_mark) DO UPDATE SET noted_at = excluded.noted_at, body = excluded.body`;

export const KEY_NOTES = `
SELECT kind, body, noted_at AS "notedAtMs" FROM svc.key_notes WHERE idempotency_key = $1 AND environment = $2 AND key_print = $3 ORDER BY noted_at`;

const SETTLED_AT = 'coalesce(r.operation_created_at, r.left_service_at, r.left_wall_at)';

/** The times before which rows are too old: $1 bodies, $2 requests, $3 requests without a reference */
export const SWEEP_REQUESTS = `
WITH notes AS (
  DELETE FROM svc.key_notes WHERE noted_at < $2 OR (kind = 'refused' AND noted_at < $1)
),
gone AS (
  DELETE FROM svc.requests r WHERE r.sendings = '{}' AND ${HAS_LEFT} AND (
    ${SETTLED_AT} < $2 OR (r.operation IS NULL AND r.left_at < ${NOW_MS} - 86400000)
    OR (r.reference_mark IS NULL AND NOT r.is_own_key AND r.status <> 'pending' AND ${SETTLED_AT} < $3))
)
UPDATE svc.requests r SET body = NULL, is_forgotten = true
WHERE r.sendings <> '{}' AND r.body IS NOT NULL AND coalesce(r.left_service_at, r.left_wall_at) < $1`;

/** $1 idempotency key or null, $2 a new id for each command */
export const FORGET_REQUESTS = `
WITH notes AS (
  DELETE FROM svc.key_notes WHERE kind = 'refused' AND ($1::text IS NULL OR idempotency_key = $1)
),
gone AS (
  UPDATE svc.requests r SET body = NULL, is_forgotten = true, forgotten_by = $2
  WHERE r.sendings <> '{}' AND r.body IS NOT NULL AND ($1::text IS NULL OR r.idempotency_key = $1) RETURNING r.request
),
never AS (
  DELETE FROM svc.requests r WHERE r.body IS NOT NULL AND r.left_at IS NULL AND ($1::text IS NULL OR r.idempotency_key = $1) RETURNING r.request
)
SELECT ((SELECT count(*) FROM gone) + (SELECT count(*) FROM never))::int
  + (SELECT count(*) FROM svc.requests r WHERE r.forgotten_by = $2)::int AS forgotten`;

export const DROP_PLACE = `
WITH gone AS (DELETE FROM svc.times WHERE environment = $1 AND origin = $2),
notes AS (DELETE FROM svc.key_notes WHERE environment = $1 AND origin = $2)
DELETE FROM svc.requests WHERE environment = $1 AND origin = $2`;
