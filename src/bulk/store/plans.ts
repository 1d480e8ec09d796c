/** How a batch comes into the store and out of it again: planned row by row, finished in one commit, dropped. To be called in a transaction. */
import type { Database } from '../../runtime/database.js';
import { NEVER_SENT } from '../row-state.js';
import type { BatchFacts, BatchTotals } from './batch.js';
import { quotedStates } from './exchange.js';
import { PLANNED } from '../../state/batch-tables.js';
import { forSqlite } from '../../state/dialect.js';
import { insertSql } from '../../state/table.js';
import { batchOf, type BatchRecord, plannedCells, totalsLeft, totalsText, whole } from './records.js';
import type { PlannedRow } from './row.js';
import { TALLY, tallyOf, type TallyRecord } from './reads.js';

/** Begins a plan in place of an unfinished one of that name; answers its number. */
export function insertPlan(db: Database, facts: BatchFacts): number {
  const left = db
    .query<{ batch: number }>('SELECT batch FROM batches WHERE ready = 0 AND name = ?')
    .all(facts.name);
  for (const { batch } of left) discardBatch(db, batch);
  return db.insert(
    'INSERT INTO batches (name, ready, direction, environment, address, origin, company, since, profile, key_mask, file, file_hash, ' +
      "row_count, totals, created_at) VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0, '[]', ?)",
    ...[facts.name, facts.direction, facts.environment, facts.address, facts.origin, facts.company],
    ...[whole(facts.sinceMs), facts.profile, facts.keyMask, facts.file, facts.createdAtMs],
  );
}

const ADD_ROW = insertSql('rows', PLANNED);

export function addRow(db: Database, batch: number, row: PlannedRow): void {
  db.run(ADD_ROW, batch, ...plannedCells(row, row.seal));
  db.run('INSERT INTO bodies (batch, number, body) VALUES (?, ?, ?)', batch, row.number, row.body);
}

/** Counts a change; false, and nothing is done, where others have been counted since. */
export function countChange(db: Database, seenChanges: number): boolean {
  return db.run('UPDATE changes SET count = count + 1 WHERE count = ?', seenChanges) === 1;
}

export function markReady(db: Database, batch: number, totals: BatchTotals): void {
  db.run(
    'UPDATE batches SET ready = 1, file_hash = ?, row_count = ?, totals = ? WHERE batch = ?',
    ...[totals.fileHash, totals.rows, totalsText(totals), batch],
  );
  db.run(
    'INSERT INTO known_references (mark, batch, number) SELECT reference_mark, batch, number FROM rows WHERE batch = ? ' +
      'ORDER BY reference_mark, number',
    batch,
  );
}

export function discardBatch(db: Database, batch: number): void {
  forgetReferences(db, batch, '1');
  for (const table of ['rows', 'bodies', 'decisions', 'batches'])
    db.run(`DELETE FROM ${table} WHERE batch = ?`, batch);
}

/**
 * Removes rows whose present try never left, and counts what is left; answers how many are gone. Tries before it that failed are in the
 * events, and a plan counts them there; one that it does not know of yet has a key that the service answers with that failure.
 */
export function deleteUnsent(db: Database, batch: number): number {
  const unsent = `state IN (${quotedStates(NEVER_SENT)}) AND sent_at IS NULL`;
  forgetReferences(db, batch, unsent);
  db.run(
    `DELETE FROM bodies WHERE batch = ? AND number IN (SELECT number FROM rows WHERE batch = ? AND ${unsent})`,
    ...[batch, batch],
  );
  const dropped = db.run(`DELETE FROM rows WHERE batch = ? AND ${unsent}`, batch);
  const [record] = db.query<BatchRecord>('SELECT * FROM batches WHERE batch = ?').all(batch);
  if (record === undefined) return dropped;
  const { sql, bound } = forSqlite(TALLY, [batch]);
  const totals = totalsLeft(batchOf(record), tallyOf(db.query<TallyRecord>(sql).all(...bound)));
  db.run(
    'UPDATE batches SET row_count = ?, totals = ? WHERE batch = ?',
    totals.rows,
    totalsText(totals),
    batch,
  );
  return dropped;
}

function forgetReferences(db: Database, batch: number, which: string): void {
  db.run(
    'DELETE FROM known_references WHERE (mark, batch, number) IN ' +
      `(SELECT reference_mark, batch, number FROM rows WHERE batch = ? AND ${which})`,
    batch,
  );
}
