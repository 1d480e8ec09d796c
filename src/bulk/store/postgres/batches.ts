/** Batches in PostgreSQL, a row each: found, listed, and what is noted about one as a whole. */
import type { Connection } from '../../../state/connection.js';
import type { BatchStore } from '../batch-store.js';
import type { Batch } from '../batch.js';
import { batchOf, whole, type BatchRecord } from '../records.js';

/** The first word stays. $1 batch, $2 when, $3 who, $4 totals */
const CONFIRM = `
UPDATE svc.batches SET confirmed_at = $2, confirmed_by = $3, confirmed_totals = $4 WHERE batch = $1 AND confirmed_at IS NULL`;

type Batches = Pick<BatchStore, 'find' | 'list' | 'own' | 'confirm' | 'swept' | 'unswept'>;

/** @param confirmer who it is that confirms here */
export function batchesOver(connection: Connection, confirmer: string): Batches {
  const batches = async (rest: string, ...values: readonly unknown[]): Promise<Batch[]> => {
    const sql = `SELECT * FROM svc.batches WHERE ready ${rest}`;
    return (await connection.run<BatchRecord>(sql, values)).rows.map(batchOf);
  };
  const set = async (batch: number, column: 'company' | 'swept_at', value: unknown): Promise<void> => {
    await connection.run(`UPDATE svc.batches SET ${column} = $2 WHERE batch = $1`, [batch, value]);
  };
  return {
    find: async (name) => (await batches('AND name = $1', name))[0] ?? null,
    list: () => batches('ORDER BY batch'),
    own: (batch, company) => set(batch, 'company', company),
    confirm: async (batch, nowMs, totals) => {
      const values = [batch, Math.round(nowMs), confirmer, JSON.stringify([...totals])];
      await connection.run(CONFIRM, values);
    },
    swept: (batch, nowMs) => set(batch, 'swept_at', Math.round(nowMs)),
    unswept: async (plannedBeforeMs, sweptUntilMs) => {
      const rest = 'AND created_at < $1 AND (swept_at IS NULL OR swept_at <= $2) ORDER BY batch';
      return (await batches(rest, whole(plannedBeforeMs), whole(sweptUntilMs))).map(({ id }) => id);
    },
  };
}
