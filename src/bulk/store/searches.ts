/** Rows of other batches with the same references, in the file of one machine. A table sorted on the disk finds them, so memory stays flat. */
import type { Environment } from '../../contract/access.js';
import type { Direction } from '../../contract/operation.js';
import { type Database, openDatabase } from '../../runtime/database.js';
import { type Ask, forSqlite } from '../../state/dialect.js';
import { OTHER_ROW, otherOf, type OtherRecord, readsOver } from './reads.js';
import { storeError } from './records.js';
import type { Holder, OtherRow } from './row.js';
import { BATCHES_KIND } from './schema.js';

const OTHERS = forSqlite(
  `${OTHER_ROW}
FROM known_references k CROSS JOIN batches b CROSS JOIN rows r
WHERE k.mark = ? AND k.batch <> ? AND b.batch = k.batch AND b.ready = 1 AND b.environment = ? AND b.direction = ?
  AND r.batch = k.batch AND r.number = k.number`,
  [],
).sql;

/** The rows of other batches with one of these marks. @param batch its own rows are left out; -1 for none */
export function selectOthers(
  db: Database,
  batch: number,
  { environment, direction }: { readonly environment: string; readonly direction: string },
  marks: readonly Uint8Array[],
): OtherRow[] {
  const sql =
    'SELECT 1 FROM batches WHERE ready = 1 AND batch <> ? AND environment = ? AND direction = ? LIMIT 1';
  const [any] = db.query(sql).all(batch, environment, direction);
  if (any === undefined) return [];
  const search = db.query<OtherRecord>(OTHERS);
  return marks.flatMap((mark) => search.all(mark, batch, environment, direction).map(otherOf));
}

/** Asks without a turn: who writes is not waited for. */
export function askOf(db: Database): Ask {
  return (text, values, read) => {
    const { sql, bound } = forSqlite(text, values);
    return promised(() => db.reading(() => read(db.query<never>(sql).all(...bound))));
  };
}

/** What the work answers, or the error of the store that it throws. */
export function promised<T>(work: () => T): Promise<T> {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject<T>(storeError(error));
  }
}

/** The rows of all batches that are settled with one of these operations: for a single create. @throws DatabaseUnusable */
export async function holdersIn(file: string, operations: readonly string[]): Promise<Holder[]> {
  const db = openDatabase(file, BATCHES_KIND);
  try {
    return await readsOver(askOf(db)).holders(operations);
  } finally {
    db.close();
  }
}

const NO_BATCH = -1;

/** The rows of all batches with that reference: for a single create, which has no batch. @throws DatabaseUnusable */
export function rowsWithReference(
  file: string,
  place: { readonly environment: Environment; readonly direction: Direction },
  referenceMark: Uint8Array,
): OtherRow[] {
  const db = openDatabase(file, BATCHES_KIND);
  try {
    return db.transaction(() => selectOthers(db, NO_BATCH, place, [referenceMark]));
  } finally {
    db.close();
  }
}
