/** Sums over the rows of a batch in PostgreSQL, exact however large: money comes as text. */
import type { Environment } from '../../../contract/access.js';
import type { Direction } from '../../../contract/operation.js';
import type { RowState } from '../../row-state.js';
import type { PaidKey, PendingMoney } from '../batch-store.js';
import { IS_SKIPPED, PENDING_REASON } from '../conditions.js';
import { batchOf, stateOf, whole, type BatchRecord } from '../records.js';
import type { TallyEntry } from '../row.js';
import type { Connection } from '../../../state/connection.js';

const TALLY = `
SELECT currency, state, ${IS_SKIPPED} AS skipped, ${PENDING_REASON} AS reason,
  count(*) AS rows, sum(minor)::text AS minor FROM svc.rows
WHERE batch = $1 AND NOT (state = ANY ($2::text[]) AND sent_at IS NULL) GROUP BY 1, 2, 3, 4`;

interface Group {
  readonly currency: string;
  readonly state: string;
  readonly skipped: boolean;
  readonly reason: string | null;
  readonly rows: number;
  readonly minor: string;
}

/** @param unsent rows in these states that never left are not counted */
export async function tally(
  connection: Connection,
  batch: number,
  unsent: readonly RowState[] = [],
): Promise<TallyEntry[]> {
  const { rows: groups } = await connection.run<Group>(TALLY, [batch, unsent]);
  return groups.map(({ currency, state, skipped, reason, rows, minor }) => ({
    currency,
    state: stateOf(state),
    isSkipped: skipped,
    reason,
    rows,
    minor: BigInt(minor),
  }));
}

/** A batch whose company was never proved counts as this one's. */
export async function hasConfirmed(
  connection: Connection,
  environment: Environment,
  company: string | null,
): Promise<boolean> {
  const sql =
    'SELECT 1 FROM svc.batches b JOIN svc.rows r ON r.batch = b.batch WHERE b.ready AND b.environment = $1 ' +
    "AND (b.company IS NOT DISTINCT FROM $2 OR b.company IS NULL) AND r.state = 'confirmed' LIMIT 1";
  return (await connection.run(sql, [environment, company])).rows.length > 0;
}

export async function pendingMoney(
  connection: Connection,
  environment: Environment,
  direction: Direction,
  company: string | null,
): Promise<PendingMoney[]> {
  const sql =
    'SELECT * FROM svc.batches WHERE ready AND environment = $1 AND direction = $2 AND company IS NOT DISTINCT FROM $3 ORDER BY batch';
  const { rows } = await connection.run<BatchRecord>(sql, [environment, direction, company]);
  const pending: PendingMoney[] = [];
  for (const { id, currencies } of rows.map(batchOf)) {
    for (const { state, currency, minor } of await tally(connection, id)) {
      if (state !== 'accepted') continue;
      pending.push({ currency, minor, decimals: currencies.get(currency)?.decimals ?? 0 });
    }
  }
  return pending;
}

export async function paidBefore(
  connection: Connection,
  environment: Environment,
  company: string | null,
  beforeMs: number,
): Promise<PaidKey | null> {
  const sql =
    'SELECT r.key AS key, r.sent_at AS "sentAtMs", b.direction AS direction FROM svc.batches b JOIN svc.rows r ON r.batch = b.batch ' +
    "WHERE b.ready AND b.environment = $1 AND b.company IS NOT DISTINCT FROM $2 AND r.state = 'confirmed' AND r.sent_at <= $3 " +
    'ORDER BY r.sent_at DESC LIMIT 1';
  return (await connection.run<PaidKey>(sql, [environment, company, whole(beforeMs)])).rows[0] ?? null;
}
