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
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { databaseError, DatabaseUnusable, type NamedDatabase } from './database-unusable.js';
import { currentUser, errorCode, makeFolders } from './folders.js';
import { VERSION } from './version.js';

export interface DatabaseKind extends NamedDatabase {
  readonly schema: string;
  /** Raise the version with every change of the tables, because another version of svc must refuse the file. */
  readonly version: number;
  readonly applicationId: number;
  readonly tuning?: { readonly pageBytes: number; readonly logPages: number };
}

export const MEMORY = ':memory:';

const GROUP_AND_OTHERS = 0o077;
const COMPANION_SUFFIXES: readonly string[] = ['-wal', '-shm', '-journal'];

export function preparePath(file: string, database: NamedDatabase): void {
  makeFolders(dirname(file));
  for (const suffix of COMPANION_SUFFIXES) modeOfOwnFile(file + suffix, database);
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const mode = modeOfOwnFile(file, database) ?? 0;
  // The access is checked, because SQLite would also open a file that it can only read.
  accessSync(file, constants.R_OK | constants.W_OK);
  if ((mode & GROUP_AND_OTHERS) !== 0 && !isOfAnotherProgram(file)) chmodSync(file, 0o600);
}

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;
const APPLICATION_ID_OFFSET = 68;
const SCHEMA_ENTRIES_OFFSET = 103;
const OUR_ID_PREFIX = 0x7376;

export function isOfAnotherProgram(file: string): boolean {
  const { header, length } = readHeader(file);
  if (length === 0) return false;
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return true;
  return (
    header.readUInt16BE(APPLICATION_ID_OFFSET) !== OUR_ID_PREFIX &&
    header.readUInt16BE(SCHEMA_ENTRIES_OFFSET) !== 0
  );
}

function readHeader(file: string): { readonly header: Buffer; readonly length: number } {
  const header = Buffer.alloc(SCHEMA_ENTRIES_OFFSET + 2);
  try {
    const descriptor = openSync(file, 'r');
    try {
      return { header, length: readSync(descriptor, header) };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return { header, length: 0 };
  }
}

/** The companion files go first, because SQLite could apply an old log to a new database of the same name. */
export function removeDatabase(file: string, kind: Pick<DatabaseKind, 'name' | 'applicationId'>): void {
  try {
    const { header, length } = readHeader(file);
    const isDatabase = header.toString('latin1', 0, MAGIC.length) === MAGIC && length >= HEADER_BYTES;
    if (isDatabase && header.readUInt32BE(APPLICATION_ID_OFFSET) !== kind.applicationId)
      throw new DatabaseUnusable('foreign', kind, file);
    for (const suffix of COMPANION_SUFFIXES) rmSync(file + suffix, { force: true });
    rmSync(file, { force: true });
  } catch (error) {
    throw databaseError(error, kind, file);
  }
}

/** Links and files of other users are refused, because SQLite would replay the log of another user. */
function modeOfOwnFile(path: string, database: NamedDatabase): number | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink() || stats.uid !== currentUser())
    throw new DatabaseUnusable('linked', database, path);
  if (!stats.isFile()) throw new DatabaseUnusable('unwritable', database, path);
  return stats.mode;
}

export type SqlValue = SQLInputValue;

export interface SqlQuery<Row> {
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  /** Do not run the same query again before the iteration ends, because both share one statement. */
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

export function headerNumber(prepare: Prepare, name: 'user_version' | 'application_id'): number {
  return (prepare(`PRAGMA ${name}`).get() as Record<string, number>)[name] ?? 0;
}

export const MADE_BY = 'made_by';

const VERSION_FORM = /^[0-9A-Za-z.+-]{1,40}$/;

export function recordMakingVersion(prepare: Prepare): void {
  prepare(`CREATE TABLE ${MADE_BY} (first TEXT, last TEXT NOT NULL) STRICT`).run();
  prepare(`INSERT INTO ${MADE_BY} VALUES (?, ?)`).run(VERSION, VERSION);
}

export function recordWritingVersion(prepare: Prepare): void {
  prepare(`UPDATE ${MADE_BY} SET last = ? WHERE last <> ?`).run(VERSION, VERSION);
}

export function lastWriter(prepare: Prepare): string | null {
  let writer: unknown;
  try {
    writer = prepare(`SELECT last FROM ${MADE_BY}`).get()?.['last'];
  } catch {
    return null;
  }
  return typeof writer === 'string' && VERSION_FORM.test(writer) ? writer : null;
}

export function readRowsIfPossible<Row>(
  file: string,
  { version, applicationId }: { readonly version: number; readonly applicationId: number },
  sql: string,
): Row[] {
  if (!existsSync(file)) return [];
  try {
    const connection = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    try {
      const prepare = statementsOf(connection);
      const isSvcFile = headerNumber(prepare, 'application_id') === applicationId;
      if (!isSvcFile || headerNumber(prepare, 'user_version') !== version) return [];
      return prepare(sql).all() as Row[];
    } finally {
      connection.close();
    }
  } catch {
    return [];
  }
}

const IS_OUR_TABLE = `m.name <> '${MADE_BY}' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'`;
const TABLES_SQL = `SELECT m.name, x.name AS "column", x.type, x."notnull", x.dflt_value, x.pk
  FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS x WHERE m.type = 'table' AND ${IS_OUR_TABLE} ORDER BY m.name, x.cid`;
const INDEXES_SQL = `SELECT m.name, m.tbl_name, x.name AS "column", x."desc", x.coll
  FROM sqlite_schema AS m, pragma_index_xinfo(m.name) AS x WHERE m.type = 'index' AND ${IS_OUR_TABLE} ORDER BY m.name, x.seqno`;

export function isSound(file: string, kind: Pick<DatabaseKind, 'schema'>): boolean {
  const [actual, expected] = [new DatabaseSync(file), new DatabaseSync(MEMORY)];
  try {
    expected.exec(kind.schema);
    return (
      actual.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'] === 'ok' &&
      [TABLES_SQL, INDEXES_SQL].every(
        (sql) => JSON.stringify(actual.prepare(sql).all()) === JSON.stringify(expected.prepare(sql).all()),
      )
    );
  } finally {
    actual.close();
    expected.close();
  }
}
