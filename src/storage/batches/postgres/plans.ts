import type { BatchFacts, KeptSignature } from '../batch-store.js';
import { NEVER_SENT } from '../row-state.js';
import { TALLY_OF_REMAINING, tallyOf, type TallyRecord } from '../reads.js';
import {
  batchOf,
  planCells,
  type BatchRecord,
  damagedStore,
  plannedCells,
  signatureCells,
  remainingTotals,
  totalsText,
} from '../records.js';
import type { PlannedRow } from '../row.js';
import type { Connection } from '../../postgres/connection.js';
import type { RowSeals } from './seal.js';
import { hasSqlState, leaseLostFailure, UNIQUE_VIOLATION } from '../../postgres/failures.js';
import { PLAN_COLUMNS, PLANNED_COLUMNS, ROW_COLUMNS, SIGNATURE_COLUMNS } from '../tables.js';
import { columnList, unnestParameters } from '../../tables/column-tables.js';
import { msFromNow, NOW_MS, storableText } from '../../postgres/sql.js';
import { lockedFailure } from './join.js';
import { type JoinedRecord, Lease, type LeaseWorld, momentNow } from './lease.js';

const FOREIGN_KEY_VIOLATION = '23503';

const DROP_PLAN = `
DELETE FROM svc.batches b WHERE NOT b.ready AND b.name = $1 AND NOT EXISTS (SELECT FROM svc.workers w
  WHERE w.batch = b.batch AND w.ended_at IS NULL AND w.lease_until >= clock_timestamp() AND w.worker <> ALL ($2::bigint[]))`;

const BEGIN_PLAN = `
WITH new AS (
  INSERT INTO svc.batches (${columnList(PLAN_COLUMNS)}) VALUES (${PLAN_COLUMNS.map((_, at) => `$${String(at + 5)}`).join(', ')}) RETURNING batch
),
planner AS (
  INSERT INTO svc.workers (batch, mode, name, program, token, lease_until)
  SELECT batch, 'plan', $1, $2, $3, ${msFromNow('$4')} FROM new
  RETURNING worker, NULL::float8 AS rate, ${NOW_MS} AS now_ms
)
SELECT new.batch, planner.* FROM new, planner`;

const PLAN_HOLDER = `
SELECT b.batch, w.worker, w.name, w.token, b.rate, ${NOW_MS} AS now_ms FROM svc.batches b LEFT JOIN svc.workers w ON w.batch = b.batch AND w.ended_at IS NULL WHERE b.name = $1 LIMIT 1`;

type PlanRow = JoinedRecord & { readonly batch: number };
type PlanHolder = PlanRow & { readonly name: string | null; readonly token: string | null };

export async function beginPlan(
  facts: BatchFacts,
  leasesOfProcess: readonly Lease[],
  token: string,
  world: LeaseWorld,
): Promise<Lease> {
  const { connection, servers, name, program, leaseMs } = world;
  const home = await servers.now();
  await connection.run(DROP_PLAN, [facts.name, leasesOfProcess.map(({ worker }) => worker)]);
  const startMoment = momentNow(world);
  const values = [name, program, token, leaseMs, ...planCells(facts)];
  return connection.runPatiently(async () => {
    try {
      const [planRow] = (await connection.runOnce<PlanRow>(BEGIN_PLAN, values)).rows;
      if (planRow === undefined) throw damagedStore('a plan is gone');
      return new Lease(planRow.batch, { ...planRow, token, home }, startMoment, world);
    } catch (error) {
      if (!hasSqlState(error, UNIQUE_VIOLATION)) throw error;
      const [holder] = (await connection.runOnce<PlanHolder>(PLAN_HOLDER, [facts.name])).rows;
      // If the tokens are equal, an earlier attempt has made the plan, and only its answer was lost.
      if (holder?.token === token)
        return new Lease(holder.batch, { ...holder, token, home }, startMoment, world);
      throw lockedFailure(holder?.name ?? null);
    }
  });
}

const ADD_ROWS = `
WITH new AS (
  INSERT INTO svc.rows (${columnList(PLANNED_COLUMNS)}) SELECT $1, x.* FROM unnest(${unnestParameters(ROW_COLUMNS, PLANNED_COLUMNS.slice(1), 2)}) x ON CONFLICT DO NOTHING
)
INSERT INTO svc.bodies (batch, number, body) SELECT $1, x.* FROM unnest($2::int[], $${String(PLANNED_COLUMNS.length + 1)}::bytea[]) x ON CONFLICT DO NOTHING`;

export async function addRows(
  connection: Connection,
  batch: number,
  rows: readonly PlannedRow[],
  seals: RowSeals,
): Promise<void> {
  if (rows.length === 0) return;
  const sealedRows = rows.map((row) => seals.seal(row, Buffer.from(row.body)));
  const cells = rows.map((row, at) => plannedCells(row, sealedRows[at]?.seal ?? row.seal, storableText));
  const columns = PLANNED_COLUMNS.slice(1).map((_, at) => cells.map((row) => row[at]));
  await addToPlan(connection, ADD_ROWS, [batch, ...columns, sealedRows.map(({ body }) => body)]);
}

const ADD_SIGNATURES = `
INSERT INTO svc.approvals (${columnList(SIGNATURE_COLUMNS)}) VALUES (${SIGNATURE_COLUMNS.map((_, at) => `$${String(at + 1)}`).join(', ')}) ON CONFLICT DO NOTHING`;

export async function addSignatures(
  connection: Connection,
  batch: number,
  signatures: readonly KeptSignature[],
): Promise<void> {
  for (const signature of signatures)
    await addToPlan(connection, ADD_SIGNATURES, [batch, ...signatureCells(signature)]);
}

async function addToPlan(connection: Connection, sql: string, values: readonly unknown[]): Promise<void> {
  await connection.runPatiently(() =>
    connection.runOnce(sql, values).catch((error: unknown) => {
      throw hasSqlState(error, FOREIGN_KEY_VIOLATION) ? leaseLostFailure() : error;
    }),
  );
}

export const FINISH_PLAN = `
WITH counted AS (
  UPDATE svc.changes SET count = count + 1 WHERE count = $2 AND EXISTS (SELECT FROM svc.batches WHERE batch = $1 AND NOT ready) RETURNING count
),
made AS (
  UPDATE svc.batches SET ready = true, file_hash = $3, row_count = $4, totals = $5 WHERE batch = $1 AND EXISTS (SELECT FROM counted)
  RETURNING batch
)
SELECT b.ready OR EXISTS (SELECT FROM made) AS done FROM svc.batches b WHERE b.batch = $1`;

export async function announceChange(
  connection: Connection,
  seenChanges: number,
  token: string,
): Promise<boolean> {
  const sql =
    'UPDATE svc.changes SET count = $1::bigint + 1, last = $2 WHERE count = $1 OR (count = $1 + 1 AND last = $2)';
  return (await connection.run(sql, [seenChanges, token])).count === 1;
}

const DROP_UNSENT = `
WITH counted AS (
  SELECT 1 WHERE $3::int = (SELECT count(*) FROM svc.rows WHERE batch = $1 AND NOT (state = ANY ($2::text[]) AND sent_at IS NULL))
),
gone AS (
  DELETE FROM svc.rows WHERE batch = $1 AND state = ANY ($2) AND sent_at IS NULL AND EXISTS (SELECT FROM counted) RETURNING number
),
bodies AS (DELETE FROM svc.bodies b USING gone WHERE b.batch = $1 AND b.number = gone.number)
UPDATE svc.batches SET row_count = $3, totals = $4 WHERE batch = $1 AND EXISTS (SELECT FROM counted)`;

export async function dropUnsent(connection: Connection, batch: number): Promise<number> {
  for (;;) {
    const sql = 'SELECT * FROM svc.batches WHERE batch = $1';
    const [record] = (await connection.run<BatchRecord>(sql, [batch])).rows;
    if (record === undefined) return 0;
    const { rows: groups } = await connection.run<TallyRecord>(TALLY_OF_REMAINING, [batch, NEVER_SENT]);
    const totals = remainingTotals(batchOf(record), tallyOf(groups));
    const values = [batch, NEVER_SENT, totals.rows, totalsText(totals)];
    const { count } = await connection.run(DROP_UNSENT, values);
    if (count === 1) return record.row_count - totals.rows;
  }
}
