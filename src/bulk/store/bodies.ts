/** Removes the bodies of rows, personal data and all, so that their bytes are gone from the file and its log. */
import type { Database } from '../../runtime/database.js';
import type { RowState } from '../row-state.js';

/** Removes so many at most of the bodies of rows in these states; answers how many. To be called in a transaction. */
export function deleteBodies(
  db: Database,
  batch: number,
  states: readonly RowState[],
  count: number,
): number {
  const names = states.map((state) => `'${state}'`).join(', ');
  return db.run(
    'DELETE FROM bodies WHERE batch = ?1 AND number IN (SELECT b.number FROM bodies b CROSS JOIN rows r ON r.batch = b.batch AND ' +
      `r.number = b.number WHERE b.batch = ?1 AND r.state IN (${names}) LIMIT ?2)`,
    ...[batch, count],
  );
}

/** True where a row in one of these states has no body any more. */
export function lacksBodies(db: Database, batch: number, states: readonly RowState[]): boolean {
  const names = states.map((state) => `'${state}'`).join(', ');
  const sql =
    `SELECT number FROM rows WHERE batch = ?1 AND state IN (${names}) AND number NOT IN ` +
    '(SELECT number FROM bodies WHERE batch = ?1) LIMIT 1';
  return db.query(sql).all(batch).length > 0;
}

/** What is deleted is overwritten in the pages that hold it. To be called once, before anything is deleted. */
export function overwriteDeleted(db: Database): void {
  db.query('PRAGMA secure_delete = ON').get();
}

/** Moves the log into the file and empties it: until then it holds pages as they were. Another process may be in the way; the next does it. */
export function emptyLog(db: Database): void {
  db.query('PRAGMA wal_checkpoint(TRUNCATE)').get();
}
