import { openDatabase, type Database } from '../../runtime/database.js';
import { DatabaseUnusable } from '../../runtime/database-unusable.js';
import { Failure } from '../../runtime/failure.js';
import type { Random } from '../../runtime/clock.js';
import {
  type Mirrors,
  type OperationBlock,
  BLOCK_ROWS,
  inBlocks,
  type Company,
  type Mirror,
  type Place,
} from './mirror.js';
import { MIRRORS_KIND } from './schema.js';
import { TAIL_ROWS, indexTail, deleteRows } from './unindexed-rows.js';
import { normalizeId } from '../../contract/notation.js';
import type { Direction } from '../../contract/operation.js';
import type { KnownOperation } from '../../contract/operation-facts.js';
import { insertSql, columnList, type FileRecord } from '../tables/column-tables.js';
import type { Reading } from './reading.js';
import {
  byIds,
  byReferences,
  foldedOf,
  fileFormatOf,
  MIRROR_NAMES,
  type MirrorRecord,
  latestOf,
  operationCells,
  operationOf,
  readingIn,
  shortMark,
} from './records.js';
import * as searches from './search.js';
import { ENVIRONMENTS } from '../../contract/access.js';
import type { COMPANY_COLUMNS } from './tables.js';

const CACHE_KILOBYTES = 4_000;

export function openMirrors(file: string, random: Pick<Random, 'uuid'>): Mirrors {
  return mirrorsIn(openDatabase(file, MIRRORS_KIND), file, random);
}

export function mirrorsIn(
  db: Database,
  file: string,
  random: Pick<Random, 'uuid'>,
  tailRowsMax = TAIL_ROWS,
): Mirrors {
  // Commits are not synced, because a power cut undoes a commit and its cursor together, and svc then reads
  // the pages again.
  db.query('PRAGMA synchronous = NORMAL').get();
  db.query(`PRAGMA cache_size = -${CACHE_KILOBYTES}`).get();
  const inTransaction: InTransaction = (work) => {
    try {
      return Promise.resolve(db.transaction(() => work(db)));
    } catch (error) {
      const isFailure = error instanceof Failure;
      return Promise.reject(
        isFailure ? error : new DatabaseUnusable('damaged', MIRRORS_KIND, file, { cause: error }),
      );
    }
  };
  const findCompany = (select: () => CompanyRecord | undefined): Promise<Company | null> =>
    inTransaction(() => {
      const record = select();
      return record === undefined ? null : companyOf(record);
    });
  return {
    keySalt: null,
    isShared: false,
    of: (company) => mirrorOf(inTransaction, company, tailRowsMax),
    companyOf: (place) => findCompany(() => selectByPlace(db, place)),
    companyById: (id) => findCompany(() => selectCompany(db, id)),
    candidates: ({ environment, origin, keyPrint }, limit) =>
      inTransaction(() => {
        const search = db.query<{ id: string; environment: string }>(CANDIDATES);
        return search.all(environment, keyPrint, origin, limit).map(companyOf);
      }),
    begin: (place) =>
      inTransaction(() => {
        const existingCompany = selectByPlace(db, place);
        if (existingCompany !== undefined) return companyOf(existingCompany);
        const newCompany = ensureCompany(db, { id: random.uuid(), environment: place.environment });
        addPlace(db, newCompany.company, place);
        return companyOf(newCompany);
      }),
    learn: (company, place) => inTransaction(() => learnPlace(db, company, place)),
    forgetPlace: (environment, origin) =>
      inTransaction(() => {
        const sql = 'SELECT DISTINCT company FROM places WHERE environment = ? AND origin = ?';
        const companies = db.query<{ company: number }>(sql).all(environment, origin);
        db.run('DELETE FROM places WHERE environment = ? AND origin = ?', environment, origin);
        return companies.reduce((sum, { company }) => sum + dropOperations(db, company), 0);
      }),
    close: () => {
      db.close();
      return Promise.resolve();
    },
  };
}

type InTransaction = <T>(work: (db: Database) => T) => Promise<T>;

const APPEND = insertSql('operations', ['company', ...MIRROR_NAMES]);

function mirrorOf(inTransaction: InTransaction, company: Company, tailRowsMax: number): Mirror {
  const lookUp = <T>(fallback: T, work: (db: Database, record: CompanyRecord) => T): Promise<T> =>
    inTransaction((db) => {
      indexTail(db);
      const record = selectCompany(db, company.id);
      return record === undefined ? fallback : work(db, record);
    });
  const search = (sql: string, ...values: (string | number | null)[]): Promise<KnownOperation[]> =>
    lookUp<KnownOperation[]>([], (db, { company: companyNumber }) => {
      searches.indexSearch(db);
      const format = fileFormatOf(companyNumber);
      const records = db.query<MirrorRecord>(sql).all(companyNumber, ...values);
      return records.map((record) => operationOf(record, format));
    });
  return {
    newest: () =>
      lookUp<KnownOperation | null>(null, (db, { company: number, newest_id: id }) =>
        id === null ? null : (selectByIds(db, number, [id]).get(id) ?? null),
      ),
    ofIds: (ids) => lookUp(new Map(), (db, { company: number }) => selectByIds(db, number, ids)),
    ofReferences: (direction, folded) =>
      lookUp(new Map(), (db, { company: number }) => selectByReferences(db, number, direction, folded)),
    blocks: () =>
      inBlocks<number>((after) =>
        lookUp<OperationBlock<number> | null>(null, (db, record) => readBlock(db, record, after)),
      ),
    list: ({ sinceMs, untilMs, direction, status, method }, limit) => {
      const range = [sinceMs ?? Number.MIN_SAFE_INTEGER, untilMs ?? Number.MAX_SAFE_INTEGER];
      return search(searches.LATEST, ...range, direction ?? null, status ?? null, method ?? null, limit);
    },
    ofBeginning: (beginning, limit) => {
      const lowerCase = beginning.toLowerCase();
      const indexedPart = lowerCase.slice(0, searches.BEGINNING_CHARACTERS);
      return search(
        searches.BY_BEGINNING,
        indexedPart,
        indexedPart + searches.LAST_CHARACTER,
        lowerCase.length,
        lowerCase,
        limit,
      );
    },
    ofBankReference: (reference, limit) => {
      const lowerCase = searches.lowerAscii(reference);
      return search(searches.BY_BANK, lowerCase, lowerCase, limit);
    },
    size: () => lookUp(0, (_db, { operations }) => operations),
    heardAtMs: () => inTransaction((db) => selectCompany(db, company.id)?.newest_at ?? null),
    reading: () =>
      inTransaction((db) => {
        const record = ensureCompany(db, company);
        return readingIn(epochOf(record), record);
      }),
    commit: async (operations, reading) => {
      const isDone = await inTransaction((db) => append(db, ensureCompany(db, company), operations, reading));
      await inTransaction((db) => indexTail(db, tailRowsMax));
      return isDone;
    },
    reset: ({ epoch }) =>
      inTransaction((db) => {
        const record = ensureCompany(db, company);
        if (epochOf(record) === epoch) dropOperations(db, record.company);
      }),
  };
}

function epochOf({ company, epoch }: CompanyRecord): string {
  return `${company}-${epoch}`;
}

function append(
  db: Database,
  record: CompanyRecord,
  operations: readonly KnownOperation[],
  { epoch, ...reading }: Reading,
): boolean {
  if (epochOf(record) !== epoch) return false;
  const format = fileFormatOf(record.company);
  for (const operation of operations) db.run(APPEND, record.company, ...operationCells(operation, format));
  const text = JSON.stringify(reading);
  const sql = 'UPDATE companies SET reading = ?, reading_sum = ? WHERE company = ?';
  db.run(sql, text, shortMark(text), record.company);
  const newest = latestOf(operations);
  if (newest !== null) {
    db.run(
      'UPDATE companies SET newest_id = ?, newest_at = ? WHERE company = ? AND (newest_at IS NULL OR newest_at < ?)',
      ...[normalizeId(newest.id), newest.occurredAtMs, record.company, newest.occurredAtMs],
    );
  }
  return true;
}

const byMarks = (table: 'ids' | 'refs'): string =>
  `SELECT o.company, ${columnList(MIRROR_NAMES, 'o')} FROM json_each(?) m CROSS JOIN ${table} i ON i.mark = m.value CROSS JOIN operations o ON o.row = i.row`;

function selectByIds(db: Database, company: number, ids: readonly string[]): Map<string, KnownOperation> {
  const format = fileFormatOf(company);
  const marks = marksOf(ids, (id) => format.id(normalizeId(id)));
  const records = db.query<MirrorRecord>(byMarks('ids')).all(marks);
  const companyRecords = records.filter((record) => record.company === company);
  return byIds(
    ids,
    companyRecords.map((record) => operationOf(record, format)),
  );
}

function selectByReferences(
  db: Database,
  company: number,
  direction: Direction,
  references: readonly string[],
): Map<string, KnownOperation[]> {
  const referenceSet = new Set(references);
  const format = fileFormatOf(company);
  const marks = marksOf(references, (reference) => format.reference(direction, reference));
  const records = db.query<MirrorRecord>(byMarks('refs')).all(marks);
  const pairs = records.flatMap((record) => {
    const isOfCompany = record.company === company;
    const operation = operationOf(record, isOfCompany ? format : fileFormatOf(record.company));
    const folded = foldedOf(record);
    return isOfCompany && folded !== null && referenceSet.has(folded) ? [[folded, operation] as const] : [];
  });
  return byReferences(direction, pairs);
}

const SELECT_BLOCK = `SELECT row, ${columnList(MIRROR_NAMES)} FROM operations WHERE row > ? AND company = ? ORDER BY row LIMIT ${BLOCK_ROWS}`;

function readBlock(db: Database, record: CompanyRecord, after: number | null): OperationBlock<number> {
  const rows = db.query<MirrorRecord>(SELECT_BLOCK).all(after ?? 0, record.company);
  const format = fileFormatOf(record.company);
  const last = rows.length < BLOCK_ROWS ? null : (rows.at(-1)?.row ?? null);
  return { epoch: epochOf(record), operations: rows.map((row) => operationOf(row, format)), last };
}

function marksOf(texts: readonly string[], markOf: (text: string) => number): string {
  return JSON.stringify([...new Set(texts.map(markOf))]);
}

type CompanyRecord = FileRecord<typeof COMPANY_COLUMNS>;

const CANDIDATES =
  'SELECT id, environment FROM companies c WHERE environment = ? AND same_as IS NULL AND newest_id IS NOT NULL ORDER BY EXISTS ' +
  '(SELECT 1 FROM places p WHERE p.company = c.company AND (p.key_print = ? OR p.origin = ?)) DESC, company DESC LIMIT ?';

function selectCompany(db: Database, id: string): CompanyRecord | undefined {
  const sql =
    'SELECT c.* FROM companies named CROSS JOIN companies c ON c.company = coalesce(named.same_as, named.company) WHERE named.id = ?';
  return db.query<CompanyRecord>(sql).get(id);
}

function selectByPlace(db: Database, { environment, origin, keyPrint }: Place): CompanyRecord | undefined {
  const sql =
    'SELECT c.* FROM places p CROSS JOIN companies c ON c.company = p.company WHERE p.environment = ? AND p.origin = ? AND p.key_print = ?';
  return db.query<CompanyRecord>(sql).get(environment, origin, keyPrint);
}

function companyOf({ id, environment }: Pick<CompanyRecord, 'id' | 'environment'>): Company {
  const knownEnvironment = ENVIRONMENTS.find((name) => name === environment);
  if (knownEnvironment === undefined)
    throw new RangeError('a company of the mirror belongs to no environment');
  return { id, environment: knownEnvironment };
}

function ensureCompany(db: Database, { id, environment }: Company): CompanyRecord {
  const sql =
    'INSERT INTO companies (id, environment, epoch, operations) VALUES (?, ?, 0, 0) ON CONFLICT DO NOTHING';
  db.run(sql, id, environment);
  const company = selectCompany(db, id);
  if (company === undefined) throw new RangeError('a company of the mirror is gone');
  return company;
}

function learnPlace(db: Database, company: Company, place: Place): void {
  indexTail(db);
  const namedCompany = ensureCompany(db, company);
  const companyOfPlace = selectByPlace(db, place) ?? namedCompany;
  const [survivor, merged] =
    companyOfPlace.operations > namedCompany.operations
      ? [companyOfPlace, namedCompany]
      : [namedCompany, companyOfPlace];
  if (merged.company !== survivor.company) {
    dropOperations(db, merged.company);
    db.run(
      'UPDATE companies SET same_as = ? WHERE company = ? OR same_as = ?',
      ...[survivor.company, merged.company, merged.company],
    );
    db.run('UPDATE places SET company = ? WHERE company = ?', survivor.company, merged.company);
  }
  addPlace(db, survivor.company, place);
}

function addPlace(db: Database, company: number, { environment, origin, keyPrint }: Place): void {
  const sql =
    'INSERT INTO places (environment, origin, key_print, company) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
  db.run(sql, environment, origin, keyPrint, company);
}

function dropOperations(db: Database, company: number): number {
  const droppedCount = deleteRows(db, company);
  db.run(
    'UPDATE companies SET epoch = epoch + 1, reading = NULL, reading_sum = NULL, operations = 0, newest_id = NULL, newest_at = NULL WHERE company = ?',
    company,
  );
  return droppedCount;
}
