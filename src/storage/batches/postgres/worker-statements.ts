/**
 * Each statement commits alone, because a client that is suspended inside a transaction would hold
 * its locks.
 */
import type { ClusterSql } from '../../postgres/cluster.js';
import { DURABLE, msFromNow, NOW_MS } from '../../postgres/sql.js';
import { isHome } from './home.js';

const timeText = (moment: string): string =>
  `to_char(${moment} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

export const LOOK_AT_BATCH = `
SELECT b.joins, b.rate, b.cluster, b.timeline, w.worker, w.mode, w.name, w.token, ${NOW_MS} AS now_ms FROM svc.batches b
LEFT JOIN svc.workers w ON w.batch = b.batch AND w.ended_at IS NULL WHERE b.batch = $1 ORDER BY w.worker`;

/**
 * $1 batch, $2 joins, $3 mode, $4 name, $5 program, $6 token, $7 lease in ms, $8 true if nobody is at work,
 * $9 rate, $10 true if the worker clears a stop
 */
export const JOIN_BATCH = `
WITH ${DURABLE},
there AS (
  UPDATE svc.batches SET joins = joins + 1, wave = wave + CASE WHEN $8::boolean OR ($10::boolean AND stopped IS NOT NULL) THEN 1 ELSE 0 END,
    stopped = CASE WHEN $8::boolean OR $10::boolean THEN NULL ELSE stopped END,
    rate = CASE WHEN $8::boolean THEN $9::float8 ELSE rate END,
    next_slot = CASE WHEN $8::boolean AND next_slot IS NOT NULL THEN least(next_slot, clock_timestamp() + interval '1 second' / $9::float8)
      ELSE next_slot END
  WHERE batch = $1 AND joins = $2 AND EXISTS (SELECT FROM control) RETURNING batch, rate
)
INSERT INTO svc.workers (batch, mode, name, program, token, lease_until)
SELECT batch, $3, $4, $5, $6, ${msFromNow('$7')} FROM there
RETURNING worker, (SELECT rate FROM there) AS rate, ${NOW_MS} AS now_ms`;

export const controlOf = (batch: string, me: string, silent: string): string => `
  greatest(0, extract(epoch FROM b.pause_until - clock_timestamp()) * 1000)::int AS pause_ms, b.stopped,
  (SELECT CASE WHEN min(s.silent) > 0 THEN sum(s.silent)::int ELSE 0 END FROM (
    SELECT CASE WHEN x.worker = ${me} THEN ${silent} ELSE x.silent END AS silent FROM svc.workers x
    WHERE x.batch = ${batch} AND x.ended_at IS NULL AND (x.worker = ${me} OR x.lease_until > clock_timestamp())) s) AS silent_rows`;

/** $1 worker, $2 lease in ms, $3 rows without an answer, $4 cluster, $5 timeline */
export const renewOn = (sql: ClusterSql): string => `
WITH server AS (SELECT ${isHome(sql, ['$4', '$5'])} AS home),
me AS (
  UPDATE svc.workers w SET seen_at = clock_timestamp(), lease_until = ${msFromNow('$2')},
    silent = $3::integer
  FROM svc.batches b WHERE w.worker = $1::bigint AND w.ended_at IS NULL AND b.batch = w.batch AND (SELECT home FROM server)
  RETURNING w.worker, ${controlOf('b.batch', '$1::bigint', '$3::integer')}
)
SELECT server.home, me.worker IS NOT NULL AS alive, me.pause_ms, me.stopped, me.silent_rows, ${NOW_MS} AS now_ms
FROM server LEFT JOIN me ON true`;

export const END_DEAD_WORKERS = `
WITH ${DURABLE}
UPDATE svc.workers w SET fenced_at = clock_timestamp(), ended_at = clock_timestamp(), fenced_by = $1
WHERE w.batch = $2 AND w.worker IS DISTINCT FROM $1::bigint AND w.ended_at IS NULL AND w.lease_until < clock_timestamp()
  AND EXISTS (SELECT FROM control)
RETURNING w.name, extract(epoch FROM clock_timestamp() - w.seen_at)::float8 AS away_s,
  (SELECT count(*)::int FROM svc.rows r WHERE r.batch = $2 AND r.state = 'intent' AND r.worker = w.worker) AS rows`;

export const END_WORKER =
  'UPDATE svc.workers SET ended_at = clock_timestamp() WHERE worker = $1 AND token = $2 AND ended_at IS NULL';

export const PAUSE_BATCH = `UPDATE svc.batches SET pause_until = greatest(pause_until, ${msFromNow('$2')}) WHERE batch = $1`;

export const STOP_BATCH = `
UPDATE svc.batches SET stopped = coalesce(stopped, $2::jsonb || jsonb_build_object('at', ${timeText('clock_timestamp()')})) WHERE batch = $1`;

export const LIMIT_RATE = 'UPDATE svc.batches SET rate = $2::float8 WHERE batch = $1';

export const nextSlot = (count: string): string =>
  `greatest(b.next_slot, clock_timestamp()) + ${count} / b.rate * interval '1 second'`;
export const SLOTS_END = `(extract(epoch FROM b.next_slot - clock_timestamp()) * 1000)::float8 AS slots_end_ms`;

export const TAKE_SLOT = `
UPDATE svc.batches b SET next_slot = ${nextSlot('1')} WHERE b.batch = $1 AND b.rate IS NOT NULL RETURNING ${SLOTS_END}`;

export const SELECT_WORKERS = `
SELECT w.name, ${timeText('w.started_at')} AS since,
  round(extract(epoch FROM clock_timestamp() - w.seen_at), 1)::float8 AS last_seen_s,
  (SELECT count(*) FROM svc.rows r WHERE r.batch = $1 AND r.state = 'intent' AND r.worker = w.worker) AS rows_in_hand,
  CASE WHEN w.fenced_at IS NOT NULL THEN 'lost' WHEN w.ended_at IS NOT NULL THEN 'ended'
    WHEN w.lease_until < clock_timestamp() THEN 'late' ELSE 'at_work' END AS state
FROM svc.workers w WHERE w.batch = $1 ORDER BY w.worker`;

export const SELECT_SHARING = `
SELECT CASE WHEN pause_until > clock_timestamp() THEN ${timeText('pause_until')} END AS paused_until, stopped, confirmed_by
FROM svc.batches WHERE batch = $1`;
