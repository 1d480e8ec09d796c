/** The statements of shared checkpoints: each is a commit of its own, and does no harm where it is given twice. */

const UNTIL = (at: number): string =>
  `clock_timestamp() + $${String(at)}::integer * interval '1 millisecond'`;
const IS_FREE = '(c.holder IS NULL OR c.lease_until < clock_timestamp())';

/** Whose holder is not heard of any more is taken over. $1 name, $2 environment, $3 address, $4 key, $5 token, $6 who, $7 lease in ms */
export const HOLD_CHECKPOINT = `
INSERT INTO svc.checkpoints AS c (checkpoint, environment, address, key_mask, sequence, content, holder, name, lease_until)
VALUES ($1, $2, $3, $4, 0, '', $5, $6, ${UNTIL(7)})
ON CONFLICT (checkpoint) DO UPDATE SET environment = CASE WHEN c.content = '' THEN $2 ELSE c.environment END,
  address = CASE WHEN c.content = '' THEN $3 ELSE c.address END, holder = $5, name = $6, lease_until = ${UNTIL(7)} WHERE ${IS_FREE} OR c.holder = $5
RETURNING c.content, c.sequence`;

/** $1 name */
export const CHECKPOINT_HOLDER = 'SELECT name FROM svc.checkpoints WHERE checkpoint = $1';

/** Fence and lock in one: only whoever holds it, and only behind what it has read. $1 name, $2 token, $3 sequence, $4 content, $5 key, $6 lease */
export const SAVE_CHECKPOINT = `
UPDATE svc.checkpoints c SET content = $4, sequence = $3::bigint + 1, key_mask = $5, lease_until = ${UNTIL(6)}
WHERE c.checkpoint = $1 AND c.holder = $2 AND (c.sequence = $3 OR (c.sequence = $3::bigint + 1 AND c.content = $4))`;

/** $1 name, $2 token, $3 lease in ms */
export const STILL_HELD = `UPDATE svc.checkpoints c SET lease_until = ${UNTIL(3)} WHERE c.checkpoint = $1 AND c.holder = $2`;

/** $1 name, $2 token */
export const LEAVE_CHECKPOINT =
  'UPDATE svc.checkpoints SET holder = NULL WHERE checkpoint = $1 AND holder = $2';

export const CHECKPOINTS = 'SELECT checkpoint, environment, address FROM svc.checkpoints';

/** $1 name */
export const DROP_CHECKPOINT = `DELETE FROM svc.checkpoints c WHERE c.checkpoint = $1 AND ${IS_FREE}`;
