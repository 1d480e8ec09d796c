/** Opens the rows that PostgreSQL hands out. If one is not as it was planned, none of them leaves. */
import type { Connection } from '../../../state/connection.js';
import { isOneOf, RETRIABLE } from '../../row-state.js';
import { takenOf, UNSENT, type RowRecord } from '../records.js';
import type { ClaimedRow } from '../row.js';
import { leftAt } from '../row-clocks.js';
import type { Lease } from './lease.js';
import type { RowSeals } from './sealing.js';
import { LEAVE_ROWS, TAKEN_BY } from './exchange-statements.js';

/** A row as PostgreSQL answers it. */
export interface TakenRecord extends Omit<RowRecord, 'body'> {
  readonly body: Buffer | null;
  /** When it first left, by the clock of the database; null where it never did. */
  readonly left_at: number | null;
  /** Shows that it left then; null where it never did, or there is no key. */
  readonly left_seal: Buffer | null;
}

export interface SealedWorld {
  readonly connection: Connection;
  /** Of the batch. */
  readonly seals: RowSeals;
}

/** What an exchange has taken. */
interface TakenWorld extends SealedWorld {
  readonly lease: Pick<Lease, 'batch' | 'worker' | 'seq'>;
  /** In the service's time, of the claim. */
  readonly nowMs: number;
}

/**
 * The rows that were just taken. Where one is not what was planned, all go back that never left: nothing of them waits for a person later.
 * @throws Failure `store_damaged`
 */
export async function opened(
  records: readonly TakenRecord[],
  aheadMs: number | null,
  { connection, seals, lease, nowMs }: TakenWorld,
): Promise<ClaimedRow[]> {
  try {
    return records.map((record) => claimed(record, aheadMs, seals));
  } catch {
    // One that was renewed in this very moment came with the body of before: how it stands now is what counts.
    const { batch, worker, seq } = lease;
    const now = await connection.run<TakenRecord>(TAKEN_BY, [batch, worker, seq]);
    try {
      return now.rows.map((record) => claimed(record, aheadMs, seals));
    } catch (error) {
      const fresh = records.filter(({ state }) => state === 'planned').map(({ number }) => number);
      await connection.run(LEAVE_ROWS, [batch, worker, seq, fresh, Math.round(nowMs)]);
      throw error;
    }
  }
}

/**
 * A row of a claim as it was planned. Where the clocks disagree on when it first left, it was the earlier moment.
 * @param aheadMs how far the service's time is ahead of the database's; null where only the first counts
 * @throws Failure `store_damaged`
 */
export function claimed(record: TakenRecord, aheadMs: number | null, seals: RowSeals): ClaimedRow {
  const { left_at: leftAtMs } = record;
  const body = seals.open(record);
  const row = takenOf({ ...record, body: '' }, UNSENT);
  // What ended without paying leaves with another key.
  if (!isOneOf(RETRIABLE, row.before)) seals.requireStamp(record);
  const byDatabase = aheadMs === null || leftAtMs === null ? Infinity : leftAtMs + aheadMs;
  const left = leftAt(row.sentAtMs, record.sent_clocks, leftAtMs ?? undefined);
  return { ...row, sentAtMs: Math.min(row.sentAtMs, byDatabase), left, body };
}
