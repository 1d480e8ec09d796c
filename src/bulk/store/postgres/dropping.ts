/** How batches go out of the tables of PostgreSQL: whole, as plans that were never finished, or what of one never left. */
import type { Connection } from '../../../state/connection.js';
import { NEVER_SENT } from '../../row-state.js';
import { batchOf, totalsLeft, totalsText, whole, type BatchRecord } from '../records.js';
import { tally } from './sums.js';

/** Everything of it goes with it. */
export async function discardSharedBatch(connection: Connection, batch: number): Promise<void> {
  await connection.run('DELETE FROM svc.batches WHERE batch = $1', [batch]);
}

/** Only where what stays is what was counted. $1 batch, $2 states, $3 rows that stay, $4 totals of those */
const DROP_UNSENT = `
WITH counted AS (
  SELECT 1 WHERE $3::int = (SELECT count(*) FROM svc.rows WHERE batch = $1 AND NOT (state = ANY ($2::text[]) AND sent_at IS NULL))
),
gone AS (
  DELETE FROM svc.rows WHERE batch = $1 AND state = ANY ($2) AND sent_at IS NULL AND EXISTS (SELECT FROM counted) RETURNING number
),
bodies AS (DELETE FROM svc.bodies b USING gone WHERE b.batch = $1 AND b.number = gone.number)
UPDATE svc.batches SET row_count = $3, totals = $4 WHERE batch = $1 AND EXISTS (SELECT FROM counted)`;

/** Removes rows whose present try never left, and says what is left, in one; answers how many are gone, however often it is asked. */
export async function dropUnsent(connection: Connection, batch: number): Promise<number> {
  for (;;) {
    const sql = 'SELECT * FROM svc.batches WHERE batch = $1';
    const [record] = (await connection.run<BatchRecord>(sql, [batch])).rows;
    if (record === undefined) return 0;
    const totals = totalsLeft(batchOf(record), await tally(connection, batch, NEVER_SENT));
    const values = [batch, NEVER_SENT, totals.rows, totalsText(totals)];
    const { count } = await connection.run(DROP_UNSENT, values);
    if (count === 1) return record.row_count - totals.rows;
  }
}

/** Plans that were never finished; answers which are gone. */
export async function dropPlansBefore(connection: Connection, beforeMs: number): Promise<number[]> {
  const sql = 'DELETE FROM svc.batches WHERE NOT ready AND created_at < $1 RETURNING batch';
  const { rows } = await connection.run<{ batch: number }>(sql, [whole(beforeMs)]);
  return rows.map(({ batch }) => batch);
}
