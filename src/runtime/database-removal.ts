/**
 * Whether a database is what its program makes, sound to the last page; and the removal of one that is not, with everything that stands
 * beside it.
 */
import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { MEMORY, MADE_BY } from './database-file.js';
import type { DatabaseKind } from './database-kind.js';
import { databaseError, DatabaseUnusable } from './database-unusable.js';
import { errorCode } from './folders.js';

/** Columns, not the words that made them. */
const OURS = `m.name <> '${MADE_BY}' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'`;
const TABLES = `SELECT m.name, x.name AS "column", x.type, x."notnull", x.dflt_value, x.pk
  FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS x WHERE m.type = 'table' AND ${OURS} ORDER BY m.name, x.cid`;
const INDEXES = `SELECT m.name, m.tbl_name, x.name AS "column", x."desc", x.coll
  FROM sqlite_schema AS m, pragma_index_xinfo(m.name) AS x WHERE m.type = 'index' AND ${OURS} ORDER BY m.name, x.seqno`;

/** Reads the whole file: for one that may be damaged, and is small or seldom looked at. */
export function isSound(file: string, kind: Pick<DatabaseKind, 'schema'>): boolean {
  const [found, wanted] = [new DatabaseSync(file), new DatabaseSync(MEMORY)];
  try {
    wanted.exec(kind.schema);
    return (
      found.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'] === 'ok' &&
      [TABLES, INDEXES].every(
        (shape) => JSON.stringify(found.prepare(shape).all()) === JSON.stringify(wanted.prepare(shape).all()),
      )
    );
  } finally {
    found.close();
    wanted.close();
  }
}

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const HEADER_BYTES = 100;
const APPLICATION_ID_AT = 68;

/**
 * Whatever is in it is lost. Its companions go first: a log without its file may be taken for that of the next one of the name.
 * @throws DatabaseUnusable `foreign` for a database of another program, which is left alone; where nothing can be removed
 */
export function removeDatabase(file: string, kind: Pick<DatabaseKind, 'name' | 'applicationId'>): void {
  try {
    const header = headerOf(file);
    const isDatabase = header.subarray(0, MAGIC.length).equals(MAGIC) && header.length === HEADER_BYTES;
    if (isDatabase && header.readUInt32BE(APPLICATION_ID_AT) !== kind.applicationId)
      throw new DatabaseUnusable('foreign', kind, file);
    for (const companion of ['-wal', '-shm', '-journal']) rmSync(file + companion, { force: true });
    rmSync(file, { force: true });
  } catch (error) {
    throw databaseError(error, kind, file);
  }
}

/** The first bytes; fewer where there are fewer. */
function headerOf(file: string): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  try {
    const descriptor = openSync(file, 'r');
    try {
      return bytes.subarray(0, readSync(descriptor, bytes));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return bytes.subarray(0, 0);
  }
}
