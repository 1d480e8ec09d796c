/** What stands beside the rows of a batch in PostgreSQL: their bodies, what people decided about them, and rows that begin anew. */
import { NEVER_SENT, RETRIABLE, type RowState } from '../../row-state.js';
import type { BatchStore, DroppedBodies } from '../batch-store.js';
import { damagedStore, stateOf } from '../records.js';
import type { Claim, Decided, RenewedRow, RowResult } from '../row.js';
import type { Connection } from '../../../state/connection.js';
import { recorded } from './exchange.js';
import type { RowSeals } from './sealing.js';

const DROP_BODIES = `
WITH range AS (SELECT number FROM svc.bodies WHERE batch = $1 AND number > $3 ORDER BY number LIMIT $4),
gone AS (
  DELETE FROM svc.bodies b USING range, svc.rows r
  WHERE b.batch = $1 AND b.number = range.number AND r.batch = $1 AND r.number = b.number AND r.state = ANY ($2) RETURNING 1
)
SELECT (SELECT count(*)::int FROM gone) AS dropped, (SELECT max(number) FROM range) AS last`;

/** Looks at so many bodies behind a row, and removes those of rows in these states from the tables. */
export async function removeBodies(
  connection: Connection,
  batch: number,
  { states, after, count }: Omit<Claim, 'nowMs'>,
): Promise<DroppedBodies> {
  const { rows } = await connection.run<DroppedBodies>(DROP_BODIES, [batch, states, after, count]);
  return rows[0] ?? { dropped: 0, last: null };
}

export async function lacksBodies(
  connection: Connection,
  batch: number,
  states: readonly RowState[],
): Promise<boolean> {
  const sql =
    'SELECT 1 FROM svc.rows r WHERE r.batch = $1 AND r.state = ANY ($2) ' +
    'AND NOT EXISTS (SELECT FROM svc.bodies b WHERE b.batch = r.batch AND b.number = r.number) LIMIT 1';
  return (await connection.run(sql, [batch, states])).rows.length > 0;
}

/** A body is bound to the try that it is for: it is hidden anew. */
const RENEW_ROWS = `
WITH given AS (
  SELECT * FROM unnest($2::int[], $3::int[], $4::int[], $5::text[], $6::bytea[], $9::bytea[]) x(number, ordinal, generation, key, seal, body)
),
anew AS (
  UPDATE svc.rows r SET state = 'planned', worker = NULL, seq = NULL, wave = -1, sent_at = NULL, left_at = NULL, operation = NULL, status = NULL,
    operation_at = NULL, code = NULL, detail = NULL, ordinal = x.ordinal, generation = x.generation, key = x.key, seal = x.seal
  FROM given x WHERE r.batch = $1 AND r.number = x.number AND (r.state = ANY ($7) OR (r.state = ANY ($8) AND r.sent_at IS NULL))
  RETURNING r.number
),
gone AS (DELETE FROM svc.bodies b USING anew WHERE b.batch = $1 AND b.number = anew.number RETURNING b.number)
INSERT INTO svc.bodies (batch, number, body) SELECT $1, x.number, x.body FROM gone JOIN given x USING (number)`;

/** To `planned`, under another key. What another worker has taken meanwhile leaves with the key that it has. */
export async function startAnew(
  connection: Connection,
  batch: number,
  rows: readonly RenewedRow[],
  seals: RowSeals,
): Promise<void> {
  const closed = rows.map((row) => seals.close(row, row.body));
  const values = [
    ...[batch, rows.map((row) => row.number), rows.map((row) => row.ordinal)],
    ...[rows.map((row) => row.generation), rows.map((row) => row.key)],
    ...[closed.map(({ seal }) => seal), RETRIABLE, NEVER_SENT, closed.map(({ body }) => body)],
  ];
  await connection.run(RENEW_ROWS, values);
}

const DECIDE = `
WITH decided AS (
  UPDATE svc.rows SET state = $3, sent_at = $4, operation = $5, status = $6, operation_at = $7, code = $8, detail = $9
  WHERE batch = $1 AND number = $2 AND state IN ('intent', 'unknown', 'needs_review') RETURNING generation
)
INSERT INTO svc.decisions (batch, number, generation, decision, state, operation, decided_at)
SELECT $1, $2, generation, $10, $11, $12, $13 FROM decided`;

/** @throws Failure `store_damaged` where something has settled the row meanwhile */
export async function decide(
  connection: Connection,
  batch: number,
  result: RowResult,
  decided: Parameters<BatchStore['decide']>[2],
): Promise<void> {
  const { state, sent_at, operation, status, operation_at, code, detail } = recorded(result) as Record<
    string,
    unknown
  >;
  const { count } = await connection.run(DECIDE, [
    ...[batch, result.number, state, sent_at, operation, status, operation_at, code, detail],
    ...[decided.decision, decided.state, decided.operation, decided.decidedAtMs],
  ]);
  if (count !== 1) throw damagedStore(`row ${String(result.number)} waits for nobody`);
}

interface DecisionRecord extends Omit<Decided, 'state'> {
  readonly state: string;
}

/** In the order in which they were taken. */
export async function decisionsOf(connection: Connection, batch: number): Promise<Decided[]> {
  const sql =
    'SELECT number, generation, decision, state, operation, decided_at AS "decidedAtMs" FROM svc.decisions WHERE batch = $1 ORDER BY decision_id';
  const { rows } = await connection.run<DecisionRecord>(sql, [batch]);
  return rows.map((record) => ({ ...record, state: stateOf(record.state) }));
}
