/** The statements of the shared book: each is a commit of its own, and does no harm where it is given twice. */
import { DURABLE, NOW_MS } from '../../state/sql.js';

/** What was never there, or is not there any more, is in no answer. */
export const STANDS = "(r.sendings <> '{}' OR r.operation IS NOT NULL)";

/** The columns of a request, and its last sending; one that may still be answered counts before all others. */
const requestWith = (body: string): string => `
r.request AS "row", r.token, r.idempotency_key, r.is_own_key, r.endpoint, r.direction, r.environment, r.address, r.origin, r.path,
  r.key_mask, r.key_print, r.reference_mark, r.body_mark, r.twin_mark, r.amount, r.currency, ${body}, r.sendings, r.is_forgotten,
  r.operation, r.status, r.first_left_at, ${NOW_MS} - r.left_at AS kept_for_ms,
  (SELECT jsonb_build_object('by', s.by, 'until', CASE WHEN s.is_over THEN NULL ELSE s.until END) FROM (
    SELECT v.value ->> 'by' AS by, (v.value ->> 'until')::bigint AS until,
      v.value ? 'over' OR (v.value ->> 'until')::bigint <= ${NOW_MS} AS is_over FROM jsonb_each(r.sendings) v) s
    ORDER BY s.is_over, s.until DESC LIMIT 1) AS last_sending`;
export const REQUEST = requestWith('r.body');
/** The same for whoever may not read what is personal. */
export const REQUEST_WITHOUT_BODY = requestWith('NULL::bytea AS body');

/** What may stand in the way of a create, and the last number when it was looked. $1 environment, $2 key, $3 and $4 marks */
export const REQUESTS_LIKE = `
SELECT c.requests AS seen, ${REQUEST} FROM svc.changes c LEFT JOIN svc.requests r
ON r.environment = $1 AND (r.idempotency_key = $2 OR r.body_mark = $3 OR r.reference_mark = $4) AND ${STANDS} ORDER BY r.request`;

/** A sending, by its token. @param at the parameters behind which token, who sends, and for how many milliseconds it may be answered stand */
const sending = (at: number): string =>
  `jsonb_build_object($${String(at)}::text, jsonb_build_object('by', $${String(at + 1)}::text, 'until', ${NOW_MS} + $${String(at + 2)}::bigint))`;

/**
 * Of two machines that put something into the book at once the second one waits for the first, and the last number is not what it was: it looks
 * again. So numbers are committed in their order. A number is a moment: a server that takes over and knows less gives none a second time. $1 last number when it was looked, or null; $2 token, $3 who, $4 ms; the rest as named
 */
export const RECORD_REQUEST = `
WITH ${DURABLE},
turn AS (
  UPDATE svc.changes SET requests = greatest(requests + 1, ${NOW_MS}) WHERE ($1::bigint IS NULL OR requests = $1) AND EXISTS (SELECT FROM control)
  RETURNING requests
)
INSERT INTO svc.requests (request, token, sendings, idempotency_key, is_own_key, endpoint, direction, environment, address, origin, path,
  key_mask, key_print, reference_mark, body_mark, twin_mark, amount, currency, body, first_left_at, left_at)
SELECT turn.requests, $2, ${sending(2)}, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, ${NOW_MS} FROM turn
RETURNING request`;

/**
 * One more sending of a request that is there and is known to have become what it was when it was looked.
 * $1 request, $2 token, $3 who, $4 ms, $5 body, $6 key, $7 its print, $8 address, $9 origin, $10 whether the operation matters, $11 operation
 */
export const REOPEN_REQUEST = `
WITH ${DURABLE}
UPDATE svc.requests r SET sendings = r.sendings || ${sending(2)}, is_forgotten = false, body = coalesce(r.body, $5), key_mask = $6,
  key_print = $7, address = $8, origin = $9
WHERE r.request = $1 AND ${STANDS} AND (NOT $10::boolean OR r.operation IS NOT DISTINCT FROM $11) AND EXISTS (SELECT FROM control)
RETURNING r.request`;

/**
 * An operation in hand. A generated key without a reference can come from nowhere else again: it is as if it had not been there, but for what
 * is pending, which is found by its operation until the feed tells of it.
 * $1 request, $2 operation, $3 status, $4 first left, $5 sendings of this process
 */
export const SETTLE_REQUEST = `
UPDATE svc.requests r SET sendings = '{}', is_forgotten = false, body = NULL, status = $3, first_left_at = coalesce($4, r.first_left_at),
  operation = CASE WHEN r.is_own_key OR r.reference_mark IS NOT NULL OR $3 = 'pending' THEN $2 END
WHERE r.request = $1 AND ${STANDS} AND (r.token = ANY ($5::text[]) OR r.sendings ?| $5::text[] OR r.operation = $2)`;

/** Its sending is over, and nobody knows what became of it. $1 request, $2 body, $3 first left, $4 tokens that are over */
export const KEEP_REQUEST = `
UPDATE svc.requests r SET body = coalesce(r.body, $2), is_forgotten = false, first_left_at = coalesce($3, r.first_left_at),
  sendings = (SELECT jsonb_object_agg(s.key, CASE WHEN s.key = ANY ($4::text[]) THEN s.value || '{"over": true}' ELSE s.value END)
    FROM jsonb_each(r.sendings) s)
WHERE r.request = $1 AND r.sendings <> '{}' AND (r.token = ANY ($4::text[]) OR r.sendings ?| $4::text[])`;

/** Settled or withdrawn ones too. $1 request, $2 key */
export const REQUEST_IS_THERE = 'SELECT 1 FROM svc.requests WHERE request = $1 AND idempotency_key = $2';

/** One sending was not carried out. $1 request, $2 token */
export const WITHDRAW_REQUEST = `
UPDATE svc.requests r SET sendings = r.sendings - $2::text, body = CASE WHEN r.sendings - $2::text = '{}' THEN NULL ELSE r.body END
WHERE r.request = $1`;

/** $1 key, $2 mark of the body */
export const KNOWS_REQUEST = `
SELECT EXISTS (SELECT FROM svc.requests r WHERE ${STANDS} AND (r.idempotency_key = $1 OR (r.body_mark = $2 AND r.sendings <> '{}'))) AS known`;

/** The first look at a book notes its server. $1 cluster, $2 timeline */
export const TAKEN_OVER_AT = `
WITH moved AS (
  UPDATE svc.changes SET taken_over_at = CASE WHEN cluster IS NULL THEN NULL ELSE ${NOW_MS} END, cluster = $1, timeline = $2
  WHERE cluster IS DISTINCT FROM $1::text OR timeline IS DISTINCT FROM $2::integer RETURNING taken_over_at
)
SELECT CASE WHEN EXISTS (SELECT FROM moved) THEN (SELECT taken_over_at FROM moved) ELSE c.taken_over_at END AS at, ${NOW_MS} AS now
FROM svc.changes c`;

/** $1 bodies that first left before this, $2 marks of what did before that */
export const CLEAR_REQUESTS = `
WITH gone AS (
  DELETE FROM svc.requests r WHERE r.first_left_at < $2 OR (NOT ${STANDS} AND r.left_at < ${NOW_MS} - 86400000)
)
UPDATE svc.requests r SET body = NULL, is_forgotten = true WHERE r.first_left_at < $1 AND r.first_left_at >= $2 AND r.body IS NOT NULL`;

/** What the same one has forgotten before, whose answer was lost, counts again. $1 key, or null for all; $2 who forgets, another one each time */
export const FORGET_REQUESTS = `
WITH gone AS (
  UPDATE svc.requests r SET body = NULL, is_forgotten = true, forgotten_by = $2
  WHERE r.sendings <> '{}' AND r.body IS NOT NULL AND ($1::text IS NULL OR r.idempotency_key = $1) RETURNING r.request
)
SELECT (SELECT count(*) FROM gone)::int + (SELECT count(*) FROM svc.requests r WHERE r.forgotten_by = $2)::int AS forgotten`;
