import { type Environment, ENVIRONMENTS } from '../../../contract/access.js';
import type { Random } from '../../../runtime/clock.js';
import { type ClusterSql, clusterSqlOf } from '../../postgres/cluster.js';
import type { Connection } from '../../postgres/connection.js';
import { openState, type StateOptions } from '../../postgres/open.js';
import {
  type Company,
  type Mirror,
  type Mirrors,
  type Place,
  type OperationBlock,
  BLOCK_ROWS,
  inBlocks,
} from '../mirror.js';
import * as statements from './statements.js';
import { normalizeId } from '../../../contract/notation.js';
import { type KnownOperation, mergeOperations } from '../../../contract/operation-facts.js';
import type { Reading } from '../reading.js';
import {
  byIds,
  byReferences,
  foldedOf,
  MIRROR_NAMES,
  type MirroredRecord,
  latestOf,
  operationCells,
  operationOf,
  readingIn,
  shortMark,
  type StoreFormat,
} from '../records.js';
import { LAST_CHARACTER, lowerAscii } from '../search.js';
import { markOf } from '../../../contract/marks.js';
import { Failure } from '../../../runtime/failure.js';
import type { Ask } from '../../tables/dialect.js';

interface CompanyRow {
  readonly company: number;
  readonly id: string;
  readonly environment: string;
}

export async function openPostgresMirrors(
  options: StateOptions,
  random: Pick<Random, 'uuid'>,
): Promise<Mirrors> {
  const { connection, tables } = await openState(options);
  try {
    const sql = await clusterSqlOf(connection);
    return { keySalt: tables.key_salt, isShared: true, ...mirrorsOver(connection, random, sql) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function mirrorsOver(
  connection: Connection,
  random: Pick<Random, 'uuid'>,
  sql: ClusterSql,
): Omit<Mirrors, 'keySalt' | 'isShared'> {
  const firstRow = async (text: string, ...values: readonly unknown[]): Promise<CompanyRow | null> =>
    (await connection.run<CompanyRow>(text, values)).rows[0] ?? null;
  const ofPlace = ({ environment, origin, keyPrint }: Place): Promise<CompanyRow | null> =>
    firstRow(statements.COMPANY_BY_PLACE, environment, origin, keyPrint);
  const addPlace = ({ environment, origin, keyPrint }: Place, id: string): Promise<unknown> =>
    connection.run(statements.ADD_PLACE, [environment, origin, keyPrint, id]);
  const ensureCompany = async ({ id, environment }: Company): Promise<CompanyRow> => {
    await connection.run(statements.ENSURE_COMPANY, [id, environment]);
    return requireRow(await firstRow(statements.COMPANY_BY_ID, id));
  };
  const of = (company: Company): Mirror => postgresMirrorOf(connection, company, sql);

  return {
    of,
    companyOf: async (place) => companyIn(await ofPlace(place)),
    companyById: async (id) => companyIn(await firstRow(statements.COMPANY_BY_ID, id)),
    candidates: async ({ environment, origin, keyPrint }, limit) => {
      const values = [environment, keyPrint, origin, limit];
      const { rows } = await connection.run<CompanyRow>(statements.CANDIDATES, values);
      return rows.map((row) => companyIn(row));
    },
    begin: async (place) => {
      const knownCompany = companyIn(await ofPlace(place));
      if (knownCompany !== null) return knownCompany;
      const newRow = await ensureCompany({ id: random.uuid(), environment: place.environment });
      await addPlace(place, newRow.id);
      return companyIn(requireRow(await ofPlace(place)));
    },
    learn: async (company, place) => {
      for (;;) {
        const ownRow = await ensureCompany(company);
        await addPlace(place, ownRow.id);
        const rowOfPlace = await ofPlace(place);
        if (rowOfPlace === null) continue;
        if (rowOfPlace.company === ownRow.company) return;
        const sizes = [await of(companyIn(rowOfPlace)).size(), await of(companyIn(ownRow)).size()];
        const [survivor, merged] =
          (sizes[0] ?? 0) > (sizes[1] ?? 0) ? [rowOfPlace, ownRow] : [ownRow, rowOfPlace];
        await connection.run(statements.mergeSql(survivor.company, merged.company));
      }
    },
    forgetPlace: async (environment, origin) => {
      const sql = 'SELECT DISTINCT company FROM svc.places WHERE environment = $1 AND origin = $2';
      const companies = (await connection.run<{ company: number }>(sql, [environment, origin])).rows;
      let droppedCount = 0;
      for (const { company } of companies) {
        const countSql = 'SELECT count(*) AS size FROM svc.operations WHERE company = $1';
        droppedCount += (await connection.run<{ size: number }>(countSql, [company])).rows[0]?.size ?? 0;
        await connection.run(statements.dropSql(company));
      }
      const deleteSql = 'DELETE FROM svc.places WHERE environment = $1 AND origin = $2';
      await connection.run(deleteSql, [environment, origin]);
      return droppedCount;
    },
    close: () => connection.close(),
  };
}

function companyIn<Row extends CompanyRow | null>(row: Row): Company | Extract<Row, null>;
function companyIn(row: CompanyRow | null): Company | null {
  if (row === null) return null;
  const environment = ENVIRONMENTS.find((name: Environment) => name === row.environment);
  if (environment === undefined) throw damagedMirror('a company belongs to no environment');
  return { id: row.id, environment };
}

function requireRow(row: CompanyRow | null): CompanyRow {
  if (row === null) throw damagedMirror('a company is gone');
  return row;
}

type SharedRow = MirroredRecord<Buffer>;

type ReadingRecord = Parameters<typeof readingIn>[1] & { readonly epoch: string };

type BlockRecord = { readonly epoch: string } & (SharedRow | { readonly id_mark: null });

interface NewestRecord {
  readonly newest_id: string | null;
  readonly newest_at: number | null;
}

function postgresMirrorOf(connection: Connection, company: Company, sql: ClusterSql): Mirror {
  const { id, environment } = company;
  const [readingText, commitText, blockText] = [
    statements.readingSql(sql),
    statements.commitSql(sql),
    statements.blockSql(sql),
  ];
  const ask: Ask = async (text, values, read) => {
    const { rows } = await connection.run<never>(text, values);
    try {
      return read(rows);
    } catch (error) {
      throw damagedMirror(error);
    }
  };
  const firstRecord = <Record>(text: string): Promise<Record | undefined> =>
    ask(text, [id], ([first]: readonly Record[]) => first);
  const lookUp = <T>(
    text: string,
    marks: readonly Buffer[],
    read: (records: readonly SharedRow[]) => T,
  ): Promise<T> => (marks.length === 0 ? Promise.resolve(read([])) : ask(text, [id, marks], read));
  const ofIds = (ids: readonly string[]): Promise<Map<string, KnownOperation>> =>
    lookUp(statements.BY_ID, ids.map(idMarkOf), (records) => byIds(ids, records.map(operationIn)));
  const search = (text: string, ...values: readonly unknown[]): Promise<KnownOperation[]> =>
    ask(text, [id, ...values], (records: readonly SharedRow[]) => records.map(operationIn));
  const reading = async (): Promise<Reading> => {
    await connection.run(statements.ENSURE_COMPANY, [id, environment]);
    return ask(readingText, [id], ([record]: readonly ReadingRecord[]) => {
      if (record === undefined) throw new RangeError('a company of the mirror is gone');
      return readingIn(record.epoch, record);
    });
  };

  return {
    ofIds,
    reading,
    newest: async () => {
      const newestId = decodeText((await firstRecord<NewestRecord>(statements.NEWEST))?.newest_id ?? null);
      return newestId === null ? null : ((await ofIds([newestId])).get(newestId) ?? null);
    },
    ofReferences: (direction, folded) => {
      const marks = [...new Set(folded)].map((text) => SHARED_FORMAT.reference(direction, text));
      return lookUp(statements.BY_REFERENCE, marks, (records) =>
        byReferences(
          direction,
          records.map((record) => [decodeText(foldedOf(record)), operationIn(record)]),
        ),
      );
    },
    blocks: () => inBlocks<Buffer>((after) => ask(blockText, [id, after ?? Buffer.alloc(0)], blockIn)),
    list: ({ sinceMs, untilMs, direction, status, method }, limit) => {
      const range = [sinceMs ?? Number.MIN_SAFE_INTEGER, untilMs ?? Number.MAX_SAFE_INTEGER];
      const words = [status, method].map((word) => (word === undefined ? null : encodeText(word)));
      return search(statements.LATEST, ...range, direction ?? null, ...words, limit);
    },
    ofBeginning: (beginning, limit) => {
      const lowerCase = beginning.toLowerCase();
      const indexedPart = lowerCase.slice(0, 64);
      return search(statements.BY_BEGINNING, indexedPart, indexedPart + LAST_CHARACTER, lowerCase, limit);
    },
    ofBankReference: (reference, limit) =>
      search(statements.BY_BANK, lowerAscii(encodeText(reference)), limit),
    size: async () => (await firstRecord<{ size: number }>(statements.SIZE))?.size ?? 0,
    heardAtMs: async () => (await firstRecord<NewestRecord>(statements.NEWEST))?.newest_at ?? null,
    commit: async (operations, { epoch, ...rest }) => {
      const text = JSON.stringify(rest);
      const mergedOperations = withoutRepeats(operations);
      const last = latestOf(mergedOperations);
      const records = mergedOperations.map((operation) => operationCells(operation, SHARED_FORMAT));
      const { rows } = await connection.run<{ done: boolean }>(commitText, [
        ...[id, epoch, text, shortMark(text)],
        ...[last === null ? null : encodeText(last.id), last?.occurredAtMs ?? null],
        ...MIRROR_NAMES.map((_, at) => records.map((record) => record[at])),
      ]);
      return rows[0]?.done === true;
    },
    reset: async ({ epoch }) => {
      const companyRow = await firstRecord<{ company: number }>(statements.COMPANY_BY_ID);
      if (companyRow === undefined || (await reading()).epoch !== epoch) return;
      const [, count = ''] = epoch.split('-');
      await connection.run(statements.dropSql(companyRow.company, `c.epoch = ${Number(count).toFixed()}`));
    },
  };
}

function idMarkOf(id: string): Buffer {
  return SHARED_FORMAT.id(normalizeId(id));
}

function operationIn(record: SharedRow): KnownOperation {
  return operationOf(record, SHARED_FORMAT);
}

function blockIn(rows: readonly BlockRecord[]): OperationBlock<Buffer> | null {
  const [first] = rows;
  if (first === undefined) return null;
  const records = rows.filter((row) => row.id_mark !== null);
  const last = records.length < BLOCK_ROWS ? null : (records.at(-1)?.id_mark ?? null);
  return { epoch: first.epoch, operations: records.map(operationIn), last };
}

/** Merges operations with the same id, because one statement can change a row only once. */
function withoutRepeats(operations: readonly KnownOperation[]): KnownOperation[] {
  const byMark = new Map<string, KnownOperation>();
  for (const operation of operations) {
    const mark = idMarkOf(operation.id).toString('hex');
    const earlier = byMark.get(mark);
    const { replaces, ends } =
      earlier === undefined ? { replaces: true, ends: operation.ends } : mergeOperations(earlier, operation);
    byMark.set(mark, { ...(earlier === undefined || replaces ? operation : earlier), ends });
  }
  return [...byMark.values()];
}

const ESCAPE_MARK = '\u0001';

/** Encodes text that contains NUL or a lone surrogate, because PostgreSQL cannot store it. */
function encodeText<T extends string | null>(text: T): T {
  if (text === null) return text;
  const isPlain = !text.includes('\0') && !text.startsWith(ESCAPE_MARK) && text.isWellFormed();
  return isPlain ? text : (`${ESCAPE_MARK}${JSON.stringify(text)}` as T);
}

function decodeText<T extends string | null>(encoded: T): T {
  return encoded?.startsWith(ESCAPE_MARK) === true ? (JSON.parse(encoded.slice(1)) as T) : encoded;
}

export const SHARED_FORMAT: StoreFormat<Buffer> = {
  id: (stored) => Buffer.from(markOf(stored)),
  reference: (direction, folded) => Buffer.from(markOf(direction, folded)),
  isSame: (one, other) => one.equals(other),
  encode: encodeText,
  decode: decodeText,
};

function damagedMirror(what: unknown): Failure {
  const problem = what instanceof Error ? what.message : String(what);
  const text =
    `The copy of the events in the database of the shared state is damaged: ${problem}. Nothing was sent. Its owner must empty the table "companies" there. ` +
    'Then svc reads the events again from the start.';
  return new Failure('local_state', text, { code: 'store_damaged', outcome: 'not_sent', cause: what });
}
