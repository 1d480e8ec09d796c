/** The file of a database: 0600 in a folder of 0700, its header and its removal; and what a connection to it is asked, each statement prepared once. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { databaseError, DatabaseUnusable, type NamedDatabase } from './database-unusable.js';
import { currentUser, errorCode, makeFolders, syncNamesAbove } from './folders.js';
import { VERSION } from './version.js';

/** What a SQLite file is for: its tables, and the number of their version. */
export interface DatabaseKind extends NamedDatabase {
  /** The tables of a new file. */
  readonly schema: string;
  /** Kept by `PRAGMA user_version`. Raised with every change of the tables: a file of another version is refused. */
  readonly version: number;
  /** Marks the file as ours (`PRAGMA application_id`). */
  readonly applicationId: number;
  /**
   * Where many small commits all over the file matter more than large reads; SQLite's own sizes unless given. A commit writes whole pages:
   * theirs is the size of new files. The write-ahead log holds so many of them before they go into the file itself.
   */
  readonly tuning?: { readonly pageBytes: number; readonly logPages: number };
}

/** Instead of a file's path: a database that ends with the process. */
export const MEMORY = ':memory:';

const OTHERS = 0o077;
/** What SQLite keeps beside the file and takes at its word. */
const COMPANIONS: readonly string[] = ['-wal', '-shm', '-journal'];

/**
 * Makes folder and file where they are missing, and takes the rights of group and others from the file. A folder that is
 * there stays as it is: with `--store` it may be any.
 * @throws DatabaseUnusable `linked` where a link, or something of another user, stands there; the file system's own errors
 */
export function preparePath(file: string, database: NamedDatabase): void {
  makeFolders(dirname(file));
  // Before anything is made: what is refused leaves nothing.
  for (const companion of COMPANIONS) ownMode(file + companion, database);
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const mode = ownMode(file, database) ?? 0;
  // SQLite would open a file that it may only read, and leave companions beside it that nobody can write later.
  accessSync(file, constants.R_OK | constants.W_OK);
  // SQLite gives its two companion files the mode of this one. The file of another program keeps its mode: it is refused later.
  if ((mode & OTHERS) !== 0 && !isOfAnotherProgram(file)) chmodSync(file, 0o600);
}

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;
/** In the header: the mark of the program that made it, and how many entries the first page of its schema has. */
const MARK_AT = 68;
const ENTRIES_AT = 103;
/** "sv": the marks of svc begin so. */
const OURS = 0x7376;

/** True for a file with something in it that is no database, and for a database with tables and without a mark of svc. */
export function isOfAnotherProgram(file: string): boolean {
  const { header, length } = headerOf(file);
  if (length === 0) return false;
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return true;
  return header.readUInt16BE(MARK_AT) !== OURS && header.readUInt16BE(ENTRIES_AT) !== 0;
}

/** The header and the beginning of the schema, with zeros behind what the file has; `length` is 0 where there is none. */
function headerOf(file: string): { readonly header: Buffer; readonly length: number } {
  const header = Buffer.alloc(ENTRIES_AT + 2);
  try {
    const opened = openSync(file, 'r');
    try {
      return { header, length: readSync(opened, header) };
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return { header, length: 0 };
  }
}

/**
 * Whatever is in it is lost. Its companions go first: a log without its file may be taken for that of the next one of the name.
 * @throws DatabaseUnusable `foreign` for a database of another program, which is left alone; where nothing can be removed
 */
export function removeDatabase(file: string, kind: Pick<DatabaseKind, 'name' | 'applicationId'>): void {
  try {
    const { header, length } = headerOf(file);
    const isDatabase = header.toString('latin1', 0, MAGIC.length) === MAGIC && length >= HEADER_BYTES;
    if (isDatabase && header.readUInt32BE(MARK_AT) !== kind.applicationId)
      throw new DatabaseUnusable('foreign', kind, file);
    for (const companion of COMPANIONS) rmSync(file + companion, { force: true });
    rmSync(file, { force: true });
  } catch (error) {
    throw databaseError(error, kind, file);
  }
}

/**
 * Makes the names of file and folders durable while the file is empty: they must be by its first commit. The process that made them may
 * have been killed.
 * @throws the file system's own errors
 */
export function keepName(file: string): void {
  if (statSync(file).size === 0) syncNamesAbove(file);
}

/** In a folder where others can write too, a name may be theirs: a link to a file of ours, or a log that SQLite would carry out. */
function ownMode(path: string, database: NamedDatabase): number | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink() || stats.uid !== currentUser())
    throw new DatabaseUnusable('linked', database, path);
  // The rights of a folder are never taken for those of a file.
  if (!stats.isFile()) throw new DatabaseUnusable('unwritable', database, path);
  return stats.mode;
}

export type SqlValue = SQLInputValue;

export interface SqlQuery<Row> {
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  /** One row after the other; the query is not asked again meanwhile. */
  iterate(...values: SqlValue[]): Iterable<Row>;
}

export type Prepare = (sql: string) => StatementSync;

export function statementsOf(connection: DatabaseSync): Prepare {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = connection.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
}

/** A number that SQLite keeps in the header of the file. */
export function headerNumber(prepare: Prepare, name: 'user_version' | 'application_id'): number {
  return (prepare(`PRAGMA ${name}`).get() as Record<string, number>)[name] ?? 0;
}

/** Its name. To empty a whole file leaves it alone. */
export const MADE_BY = 'made_by';

/** What may stand in a message. */
const PLAUSIBLE = /^[0-9A-Za-z.+-]{1,40}$/;

/** Notes that this version makes the file. Within a transaction. */
export function signNew(prepare: Prepare): void {
  prepare(`CREATE TABLE ${MADE_BY} (first TEXT, last TEXT NOT NULL) STRICT`).run();
  prepare(`INSERT INTO ${MADE_BY} VALUES (?, ?)`).run(VERSION, VERSION);
}

/** Notes that this version writes the file. Within a transaction. */
export function signAgain(prepare: Prepare): void {
  prepare(`UPDATE ${MADE_BY} SET last = ? WHERE last <> ?`).run(VERSION, VERSION);
}

/** The version of svc that wrote the file last, or null where the file does not say. */
export function lastWriter(prepare: Prepare): string | null {
  let last: unknown;
  try {
    last = prepare(`SELECT last FROM ${MADE_BY}`).get()?.['last'];
  } catch {
    // A file of a later version may say it elsewhere, and a damaged one nowhere: neither keeps it from being refused by its number.
    return null;
  }
  return typeof last === 'string' && PLAUSIBLE.test(last) ? last : null;
}

/**
 * The rows of a query over a file as it is: never made, never waited for, never complained of. For what is nice to know. None where the file is missing, of another version, in use by somebody who lets nobody read, or damaged.
 */
export function rowsAsTheyAre<Row>(
  file: string,
  { version, applicationId }: { readonly version: number; readonly applicationId: number },
  sql: string,
): Row[] {
  if (!existsSync(file)) return [];
  try {
    const connection = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    try {
      const prepare = statementsOf(connection);
      const isOurs = headerNumber(prepare, 'application_id') === applicationId;
      if (!isOurs || headerNumber(prepare, 'user_version') !== version) return [];
      return prepare(sql).all() as Row[];
    } finally {
      connection.close();
    }
  } catch {
    return [];
  }
}

/** Columns, not the words that made them. */
const OUR_TABLES = `m.name <> '${MADE_BY}' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'`;
const TABLES = `SELECT m.name, x.name AS "column", x.type, x."notnull", x.dflt_value, x.pk
  FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS x WHERE m.type = 'table' AND ${OUR_TABLES} ORDER BY m.name, x.cid`;
const INDEXES = `SELECT m.name, m.tbl_name, x.name AS "column", x."desc", x.coll
  FROM sqlite_schema AS m, pragma_index_xinfo(m.name) AS x WHERE m.type = 'index' AND ${OUR_TABLES} ORDER BY m.name, x.seqno`;

/** True where it has the tables of its kind, and is sound to the last page. Reads the whole file. */
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
