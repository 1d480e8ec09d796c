import type { Environment } from '../../contract/access.js';
import type { Direction } from '../../contract/operation.js';
import { type Database, openDatabase } from '../../runtime/database.js';
import { type Ask, forSqlite } from '../tables/dialect.js';
import { OTHER_ROW, otherRowOf, type OtherRecord, readsOver } from './reads.js';
import { storeError } from './records.js';
import type { Holder, OtherRow } from './row.js';
import { BATCHES_KIND } from './schema.js';

const SELECT_OTHERS = forSqlite(
  `${OTHER_ROW}
FROM known_references k CROSS JOIN batches b CROSS JOIN rows r
WHERE k.mark = ? AND k.batch <> ? AND b.batch = k.batch AND b.ready = 1 AND b.environment = ? AND b.direction = ?
  AND r.batch = k.batch AND r.number = k.number`,
  [],
).sql;

export function selectOthers(
  db: Database,
  batch: number,
  { environment, direction }: { readonly environment: string; readonly direction: string },
  marks: readonly Uint8Array[],
): OtherRow[] {
  const sql =
    'SELECT 1 FROM batches WHERE ready = 1 AND batch <> ? AND environment = ? AND direction = ? LIMIT 1';
  const [otherBatch] = db.query(sql).all(batch, environment, direction);
  if (otherBatch === undefined) return [];
  const search = db.query<OtherRecord>(SELECT_OTHERS);
  return marks.flatMap((mark) => search.all(mark, batch, environment, direction).map(otherRowOf));
}

export function askOf(db: Database): Ask {
  return (text, values, read) => {
    const { sql, parameters } = forSqlite(text, values);
    return toPromise(() => db.readTransaction(() => read(db.query<never>(sql).all(...parameters))));
  };
}

export function toPromise<T>(work: () => T): Promise<T> {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject<T>(storeError(error));
  }
}

async function readBatches<T>(file: string, read: (db: Database) => T | Promise<T>): Promise<T> {
  const db = openDatabase(file, BATCHES_KIND);
  try {
    return await read(db);
  } finally {
    db.close();
  }
}

export function holdersIn(file: string, operations: readonly string[]): Promise<Holder[]> {
  return readBatches(file, (db) => readsOver(askOf(db)).holders(operations));
}

const NO_BATCH = -1;

export function rowsWithReference(
  file: string,
  scope: { readonly environment: Environment; readonly direction: Direction },
  referenceMark: Uint8Array,
): Promise<OtherRow[]> {
  return readBatches(file, (db) => db.transaction(() => selectOthers(db, NO_BATCH, scope, [referenceMark])));
}
