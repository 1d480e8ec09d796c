import type { ClusterSql } from '../../postgres/cluster.js';
import { DURABLE, msFromNow, NOW_MS } from '../../postgres/sql.js';
import { SEALED_COLUMNS } from '../tables.js';
import { columnList } from '../../tables/column-tables.js';
import { unlessGone } from '../reads.js';
import { isHome } from './home.js';
import { stampOn } from './seal.js';
import { controlOf, nextSlot, SLOTS_END } from './worker-statements.js';

const ENDED_WORKERS =
  'SELECT w.worker FROM svc.workers w WHERE w.batch = $5 AND w.worker <> $1 AND w.ended_at IS NOT NULL';
const MAY_BE_TAKEN =
  "r.state IN ('planned', 'intent', 'unavailable', 'unknown') AND r.state = ANY ($8::text[]) AND r.number <> ALL ($11::int[]) " +
  'AND ($20::int[] IS NULL OR r.number = ANY ($20::int[]))';
const CURRENT_WAVE = '(SELECT wave FROM svc.batches WHERE batch = $5)';
const NO_WORKER = ['(-1)::bigint', '0::bigint'] as const;
const PICKED_RANGE = 'BETWEEN (SELECT min(number) FROM pick) AND (SELECT max(number) FROM pick)';

/**
 * $1 worker or -1, $2 seq, $3 lease in ms, $4 results, $5 batch, $6 after, $7 count, $8 states, $9 the
 * service's time, $10 true if rows are taken, $11 numbers of the results, $12 the least of them, $13 the
 * greatest of them, $14 the program's schema version, $15 rows without an answer, $16 and $17 cluster and
 * timeline when the worker joined, $18 the stamp key of rows that are sent now, $19 the machine's clocks,
 * $20 the only numbers that may be taken, or null
 */
export const exchangeOn = (sql: ClusterSql): string => `
WITH ${DURABLE},
server AS (SELECT $1::bigint < 0 OR ${isHome(sql, ['$16', '$17'])} AS home),
me AS (
  UPDATE svc.workers SET seq = $2::bigint, silent = $15::integer, seen_at = clock_timestamp(), lease_until = ${msFromNow('$3')}
  WHERE worker = $1::bigint AND seq = $2::bigint - 1 AND ended_at IS NULL AND EXISTS (SELECT FROM control) AND (SELECT home FROM server)
    AND (SELECT least_writer FROM svc.meta) <= $14::integer
  RETURNING worker
),
res AS (
  SELECT * FROM jsonb_to_recordset($4::jsonb) AS x(number integer, generation integer, mine boolean, before text, state text,
    sent_at bigint, operation text, status text, operation_at bigint, code text, detail text, stamp text)
),
done AS (
  UPDATE svc.rows r SET state = x.state, operation = coalesce(x.operation, ${unlessGone('r.operation', 'x.state')}),
    status = coalesce(x.status, ${unlessGone('r.status', 'x.state')}), operation_at = x.operation_at, code = x.code,
    detail = x.detail, sent_at = CASE WHEN x.sent_at IS NULL THEN NULL ELSE coalesce(r.sent_at, x.sent_at) END,
    left_at = CASE WHEN x.sent_at IS NULL THEN NULL ELSE r.left_at END,
    sent_clocks = CASE WHEN x.sent_at IS NULL THEN NULL ELSE r.sent_clocks END,
    left_seal = CASE WHEN x.sent_at IS NULL THEN NULL WHEN r.sent_at IS NULL THEN ${stampOn(NO_WORKER, "decode(x.stamp, 'hex')")} ELSE r.left_seal END
  FROM res x
  WHERE r.batch = $5::bigint AND r.number BETWEEN $12::integer AND $13::integer AND r.number = x.number AND (SELECT home FROM server) AND CASE
    WHEN x.mine THEN r.worker = $1 AND r.state = 'intent' AND r.generation = x.generation
    ELSE r.state = coalesce(x.before, r.state) AND (r.state <> 'intent' OR r.worker IS NULL OR r.worker IN (${ENDED_WORKERS})) END
  RETURNING r.number
),
fresh AS (
  SELECT r.number, r.state AS before FROM svc.rows r
  WHERE $10::boolean AND r.batch = $5 AND r.number > $6::integer AND ${MAY_BE_TAKEN} AND EXISTS (SELECT FROM me) AND CASE r.state
    WHEN 'planned' THEN true WHEN 'intent' THEN r.worker = $1 OR r.worker IN (${ENDED_WORKERS}) ELSE r.wave < ${CURRENT_WAVE} OR r.worker = $1 END
  ORDER BY r.number LIMIT $7::integer FOR UPDATE OF r SKIP LOCKED
),
stray AS (
  SELECT r.number, r.state AS before FROM svc.rows r
  WHERE $10::boolean AND r.batch = $5 AND r.number <= $6::integer AND ${MAY_BE_TAKEN} AND EXISTS (SELECT FROM me) AND NOT EXISTS (SELECT FROM fresh)
    AND CASE r.state WHEN 'planned' THEN true WHEN 'intent' THEN r.worker IN (${ENDED_WORKERS}) ELSE r.wave < ${CURRENT_WAVE} END
  ORDER BY r.number LIMIT $7::integer FOR UPDATE OF r SKIP LOCKED
),
pick AS (SELECT * FROM fresh UNION ALL SELECT * FROM stray),
slots AS (
  UPDATE svc.batches b SET next_slot = ${nextSlot('(SELECT count(*) FROM pick)')}
  WHERE b.batch = $5 AND b.rate IS NOT NULL AND EXISTS (SELECT FROM pick) RETURNING ${SLOTS_END}
),
taken AS (
  UPDATE svc.rows r SET state = 'intent', worker = $1, seq = $2, wave = ${CURRENT_WAVE}, sent_at = coalesce(r.sent_at, $9::bigint),
    sent_clocks = CASE WHEN r.sent_at IS NULL THEN $19::text ELSE r.sent_clocks END,
    left_at = coalesce(r.left_at, ${NOW_MS}),
    left_seal = CASE WHEN r.sent_at IS NULL THEN ${stampOn(['$1::bigint', '$2::bigint'], '$18::bytea')} ELSE r.left_seal END
  FROM pick p WHERE r.batch = $5 AND r.number ${PICKED_RANGE} AND r.number = p.number
  RETURNING ${columnList(SEALED_COLUMNS, 'r')}, r.seal, p.before AS state, r.sent_at, r.left_at, r.sent_clocks, r.left_seal
)
SELECT t.*, (SELECT b.body FROM svc.bodies b WHERE b.batch = $5 AND b.number = t.number) AS body, NULL::int AS recorded, NULL::boolean AS alive, NULL::boolean AS others, NULL::boolean AS home, NULL::int AS pause_ms, NULL::jsonb AS stopped,
  NULL::int AS silent_rows, NULL::float8 AS slots_end_ms, NULL::int AS least_writer
FROM taken t
UNION ALL
SELECT -1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ${NOW_MS}, NULL, NULL, NULL, (SELECT count(*)::int FROM done), EXISTS (SELECT FROM me),
  $10 AND NOT EXISTS (SELECT FROM pick) AND EXISTS (SELECT FROM svc.rows r WHERE r.batch = $5 AND ${MAY_BE_TAKEN}
    AND (r.state = 'planned' OR (r.state = 'intent' AND r.worker <> $1))),
  (SELECT home FROM server),
  ${controlOf('$5', '$1::bigint', '$15::integer')}, (SELECT slots_end_ms FROM slots), (SELECT least_writer FROM svc.meta)
FROM (SELECT) one LEFT JOIN svc.batches b ON b.batch = $5
ORDER BY number`;

export const workerProgressOn = (sql: ClusterSql): string => `
SELECT seq, ended_at IS NULL AS alive, ${NOW_MS} AS now_ms FROM svc.workers WHERE worker = $1 AND ${isHome(sql, ['$2', '$3'])}`;

export const TAKEN_BY = `
SELECT ${columnList(SEALED_COLUMNS, 'r')}, r.seal, 'intent' AS state, r.sent_at, r.left_at, r.sent_clocks, r.left_seal, b.body
FROM svc.rows r LEFT JOIN svc.bodies b USING (batch, number)
WHERE r.batch = $1 AND r.worker = $2 AND r.seq = $3 AND r.state = 'intent' ORDER BY r.number`;

export const GIVE_BACK_ROWS = `
UPDATE svc.rows SET state = 'planned', worker = NULL, seq = NULL, sent_at = NULL, sent_clocks = NULL, left_at = NULL, left_seal = NULL
WHERE batch = $1 AND worker = $2 AND seq = $3 AND state = 'intent' AND number = ANY ($4::integer[]) AND sent_at = $5`;
