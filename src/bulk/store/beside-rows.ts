/** What stands beside the rows of a batch: their bodies, until nothing needs them, and what people decided about them, for good. */
import type { Database } from '../../runtime/database.js';
import type { RowState } from '../row-state.js';
import type { DroppedBodies } from './batch-store.js';
import { IS_PENDING } from './conditions.js';
import { quotedStates } from './exchange.js';
import { stateOf } from './records.js';
import type { Claim, Decided } from './row.js';

/**
 * Looks at so many bodies behind a row, and removes those of rows in these states, but where an operation is pending: a retry may need them.
 * To be called in a transaction.
 */
export function deleteBodies(
  db: Database,
  batch: number,
  { states, after, count }: Omit<Claim, 'nowMs' | 'moment'>,
): DroppedBodies {
  const [range] = db
    .query<{ last: number | null }>(
      'SELECT max(number) AS last FROM (SELECT number FROM bodies WHERE batch = ? AND number > ? ORDER BY number LIMIT ?)',
    )
    .all(batch, after, count);
  const last = range?.last ?? null;
  if (last === null) return { dropped: 0, last };
  const dropped = db.run(
    'DELETE FROM bodies WHERE batch = ? AND number > ? AND number <= ? AND number IN ' +
      `(SELECT number FROM rows WHERE batch = ? AND number > ? AND number <= ? AND state IN (${quotedStates(states)}) AND NOT ${IS_PENDING})`,
    ...[batch, after, last, batch, after, last],
  );
  return { dropped, last };
}

/** Batches that may hold bodies which nothing needs any more. */
export function selectUnswept(db: Database, plannedBeforeMs: number, sweptUntilMs: number): number[] {
  const sql =
    'SELECT batch FROM batches WHERE ready = 1 AND created_at < ? AND (swept_at IS NULL OR swept_at <= ?)';
  return db
    .query<{ batch: number }>(sql)
    .all(plannedBeforeMs, sweptUntilMs)
    .map(({ batch }) => batch);
}

/** True where a row in one of these states has no body any more. */
export function isWithoutBodies(db: Database, batch: number, states: readonly RowState[]): boolean {
  const sql =
    `SELECT number FROM rows WHERE batch = ? AND state IN (${quotedStates(states)}) AND number NOT IN ` +
    '(SELECT number FROM bodies WHERE batch = ?) LIMIT 1';
  return db.query(sql).all(batch, batch).length > 0;
}

/** What is deleted is overwritten in the pages that hold it. To be called once, before anything is deleted. */
export function overwriteDeleted(db: Database): void {
  db.query('PRAGMA secure_delete = ON').get();
}

/** Moves the log into the file and empties it: until then it holds pages as they were. Another process may be in the way; the next does it. */
export function emptyLog(db: Database): void {
  db.query('PRAGMA wal_checkpoint(TRUNCATE)').get();
}

export function addDecision(db: Database, batch: number, decided: Decided): void {
  const { number, generation, decision, state, operation, decidedAtMs } = decided;
  db.run(
    'INSERT INTO decisions (batch, number, generation, decision, state, operation, decided_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...[batch, number, generation, decision, state, operation, decidedAtMs],
  );
}

interface DecisionRecord {
  readonly number: number;
  readonly generation: number;
  readonly decision: string;
  readonly state: string;
  readonly operation: string | null;
  readonly decided_at: number;
}

/** In the order in which they were taken: a later retry changes the row and not the record. */
export function selectDecisions(db: Database, batch: number): Decided[] {
  const records = db
    .query<DecisionRecord>('SELECT * FROM decisions WHERE batch = ? ORDER BY decision_id')
    .all(batch);
  return records.map(({ number, generation, decision, state, operation, decided_at: decidedAtMs }) => ({
    number,
    generation,
    decision: decision === 'operation' ? 'operation' : 'not_paid',
    state: stateOf(state),
    operation,
    decidedAtMs,
  }));
}
