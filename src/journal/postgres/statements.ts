/** The statements of the shared book that read, and how one of its requests is put together. */
import { REQUEST_COLUMNS } from '../../state/journal-tables.js';
import { NOW_MS } from '../../state/sql.js';
import { columnsIn, listed } from '../../state/table.js';

/** What was never there, or is not there any more, is in no answer. */
export const STANDS = "(r.left_at IS NULL OR r.sendings <> '{}' OR r.operation IS NOT NULL)";

const WITHOUT_BODY = columnsIn('shared', REQUEST_COLUMNS).filter(
  (name) => name !== 'request' && name !== 'body',
);

/** The columns of a request, and its last sending, or who recorded it; one that may still be answered counts before all others. */
const requestWith = (body: string): string => `
r.request AS "row", ${listed(WITHOUT_BODY, 'r')}, ${body}, ${NOW_MS} - r.left_at AS kept_for_ms,
  (SELECT jsonb_build_object('by', s.by, 'until', CASE WHEN s.is_over THEN NULL ELSE s.until END) FROM (
    SELECT v.value ->> 'by' AS by, (v.value ->> 'until')::bigint AS until,
      v.value ? 'over' OR (v.value ->> 'until')::bigint <= ${NOW_MS} AS is_over
    FROM jsonb_each(CASE WHEN r.left_at IS NULL THEN r.owners ELSE r.sendings END) v) s
    ORDER BY s.is_over, s.until DESC LIMIT 1) AS last_sending`;
export const REQUEST = requestWith('r.body');
/** The same for whoever may not read what is personal. */
export const REQUEST_WITHOUT_BODY = requestWith('NULL::bytea AS body');

/**
 * Removes what was recorded, and whose time to leave is over. What it has not removed may leave any moment: it counts, whatever its time is.
 */
const BURIED = `buried AS (
  DELETE FROM svc.requests b WHERE b.body IS NOT NULL AND b.left_at IS NULL
  AND NOT EXISTS (SELECT FROM jsonb_each(b.owners) o WHERE (o.value ->> 'until')::bigint > ${NOW_MS}) RETURNING b.request
)`;
const IS_NOT_BURIED = 'r.request NOT IN (SELECT request FROM buried)';

/** What may keep a create from being recorded, and the last number when it was looked. $1 environment, $2 key */
export const REQUESTS_LIKE = `
WITH ${BURIED}
SELECT c.requests AS seen, ${REQUEST} FROM svc.changes c LEFT JOIN svc.requests r
ON r.environment = $1 AND (r.idempotency_key = $2 OR (r.body IS NOT NULL AND r.left_at IS NULL)) AND ${STANDS} AND ${IS_NOT_BURIED}
ORDER BY r.request`;

/** @param rest behind what every request fulfils */
export const requestsWith = (columns: string, rest: string): string =>
  `SELECT ${columns} FROM svc.requests r WHERE ${STANDS} AND ${rest}`;

/** The same, for whoever is about to send: nothing that it does not say can leave any more, unless it is recorded anew. */
export const requestsNow = (rest: string): string =>
  `WITH ${BURIED} ${requestsWith(REQUEST, `${IS_NOT_BURIED} AND ${rest}`)}`;

/** What left and stands, but for how the rows are ordered. */
export const HAS_LEFT = 'r.left_at IS NOT NULL';

/** Settled or withdrawn ones too. $1 request, $2 key */
export const REQUEST_IS_THERE = 'SELECT 1 FROM svc.requests WHERE request = $1 AND idempotency_key = $2';

/** $1 key */
export const KNOWS_REQUEST = `
SELECT EXISTS (SELECT FROM svc.requests r WHERE ${STANDS} AND ${HAS_LEFT} AND r.idempotency_key = $1) AS known`;

/** That of a boot, else the newest of any. $1 environment, $2 origin, $3 boot */
export const NEWEST_TIME = `
SELECT boot, boot_at, service_at FROM svc.times WHERE environment = $1 AND origin = $2 ORDER BY (boot = $3) DESC, service_at DESC LIMIT 1`;
