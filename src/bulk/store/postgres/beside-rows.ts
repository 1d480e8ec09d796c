/** What stands beside the rows of a batch in PostgreSQL: their bodies, what people decided about them, and rows that begin anew. */
import { NEVER_SENT, RETRIABLE } from '../../row-state.js';
import type { BatchStore, DroppedBodies } from '../batch-store.js';
import { IS_PENDING } from '../reads.js';
import { damagedStore, whole } from '../records.js';
import type { Claim, RenewedRow } from '../row.js';
import type { Connection } from '../../../state/connection.js';
import { recorded } from './exchange.js';
import type { RowSeals } from './sealing.js';

/** Bodies behind a row, and whether they go. $1 batch, $2 states, $3 after, $4 count */
const LOOK_AT_BODIES = `
SELECT b.number, (SELECT r.state = ANY ($2) AND NOT ${IS_PENDING} FROM svc.rows r WHERE r.batch = $1 AND r.number = b.number) AS goes
FROM svc.bodies b WHERE b.batch = $1 AND b.number > $3 ORDER BY b.number LIMIT $4`;

/**
 * What began anew since it was looked at keeps its body. Bounds stand beside numbers: without statistics the whole batch would be read.
 * $1 batch, $2 states, $3 numbers, $4 the least of them, $5 the greatest
 */
const DELETE_BODIES = `
DELETE FROM svc.bodies b WHERE b.batch = $1 AND b.number BETWEEN $4 AND $5 AND b.number = ANY (ARRAY (
  SELECT r.number FROM svc.rows r WHERE r.batch = $1 AND r.number BETWEEN $4 AND $5 AND r.number = ANY ($3) AND r.state = ANY ($2) AND NOT ${IS_PENDING}))`;

/** Looks at so many bodies behind a row, and removes those of rows in these states from the tables, but where an operation is pending. */
export async function removeBodies(
  connection: Connection,
  batch: number,
  { states, after, count }: Omit<Claim, 'nowMs' | 'moment'>,
): Promise<DroppedBodies> {
  const values = [batch, states, after, count];
  const { rows } = await connection.run<{ number: number; goes: boolean }>(LOOK_AT_BODIES, values);
  const going = rows.filter(({ goes }) => goes).map(({ number }) => number);
  const [first] = going;
  if (first !== undefined) await connection.run(DELETE_BODIES, [batch, states, going, first, going.at(-1)]);
  return { dropped: going.length, last: rows.at(-1)?.number ?? null };
}

/** A body is bound to the try that it is for: it is hidden anew. Where the answer was lost, a row that left since stays as it is. */
const RENEW_ROWS = `
WITH given AS (
  SELECT * FROM unnest($2::int[], $3::int[], $4::int[], $5::text[], $6::bytea[], $9::bytea[], $10::text[])
    x(number, ordinal, generation, key, seal, body, before)
),
anew AS (
  UPDATE svc.rows r SET state = 'planned', worker = NULL, seq = NULL, wave = -1, sent_at = NULL, sent_clocks = NULL, left_at = NULL, left_seal = NULL, operation = NULL, status = NULL,
    operation_at = NULL, code = NULL, detail = NULL, ordinal = x.ordinal, generation = x.generation, key = x.key, seal = x.seal
  FROM given x WHERE r.batch = $1 AND r.number BETWEEN $11 AND $12 AND r.number = x.number AND r.state = x.before AND (r.state = ANY ($7) OR (r.state = ANY ($8) AND r.sent_at IS NULL))
  RETURNING r.number
),
gone AS (
  DELETE FROM svc.bodies b WHERE b.batch = $1 AND b.number BETWEEN $11 AND $12 AND b.number = ANY (ARRAY (SELECT number FROM anew))
  RETURNING b.number
)
INSERT INTO svc.bodies (batch, number, body) SELECT $1, x.number, x.body FROM gone JOIN given x USING (number)`;

/** To `planned`, under another key. What another worker has taken meanwhile leaves with the key that it has. */
export async function startAnew(
  connection: Connection,
  batch: number,
  rows: readonly RenewedRow[],
  seals: RowSeals,
): Promise<void> {
  if (rows.length === 0) return;
  const closed = rows.map((row) => seals.close(row, row.body));
  const numbers = rows.map(({ number }) => number);
  const values = [
    ...[batch, numbers, rows.map((row) => row.ordinal)],
    ...[rows.map((row) => row.generation), rows.map((row) => row.key)],
    ...[closed.map(({ seal }) => seal), RETRIABLE, NEVER_SENT, closed.map(({ body }) => body)],
    rows.map(({ before }) => before),
    ...[Math.min(...numbers), Math.max(...numbers)],
  ];
  await connection.run(RENEW_ROWS, values);
}

/** One whose answer was lost is done: its token says so. */
const DECIDED = 'SELECT 1 FROM svc.decisions WHERE token = $1';

const DECIDE = `
WITH decided AS (
  UPDATE svc.rows SET state = $8, sent_at = $9, operation = $10, status = $11, operation_at = $12, code = $13, detail = $14
  WHERE batch = $2 AND number = $3 AND state IN ('intent', 'unknown', 'needs_review') AND NOT EXISTS (${DECIDED}) RETURNING generation
)
INSERT INTO svc.decisions (token, batch, number, generation, decision, state, operation, decided_at)
SELECT $1, $2, $3, generation, $4, $5, $6, $7 FROM decided`;

/**
 * @param token says which decision it is where an answer is lost
 * @throws Failure `store_damaged` where something has settled the row meanwhile
 */
export async function decide(
  connection: Connection,
  [batch, result, decided]: Parameters<BatchStore['decide']>,
  token: string,
): Promise<void> {
  const { state, sent_at, operation, status, operation_at, code, detail } = recorded(result) as Record<
    string,
    unknown
  >;
  const { count } = await connection.run(DECIDE, [
    ...[
      token,
      batch,
      result.number,
      decided.decision,
      decided.state,
      decided.operation,
      whole(decided.decidedAtMs),
    ],
    ...[state, sent_at, operation, status, operation_at, code, detail],
  ]);
  if (count === 1 || (await connection.run(DECIDED, [token])).count === 1) return;
  throw damagedStore(`row ${String(result.number)} waits for nobody`);
}
