/** The mirror of one company in PostgreSQL: pages are taken in, and what is in them is found, a block at a time. */
import type { Direction } from '../../../contract/operation.js';
import { idInOneCase } from '../../../contract/notation.js';
import { type KnownOperation, preferred } from '../../../contract/operation-facts.js';
import type { ClusterSql } from '../../../state/cluster.js';
import type { Connection } from '../../../state/connection.js';
import { type OperationBlock, BLOCK_ROWS, inBlocks, type Company, type Mirror } from '../../mirror.js';
import { type Reading, unread } from '../../reading.js';
import {
  foldedOf,
  operationCells,
  operationOf,
  MIRROR_NAMES,
  type MirroredRecord,
  shortMark,
} from '../records.js';
import { LAST_CHARACTER, lowerAscii } from '../search.js';
import { heldText, SHARED, toldText } from './records.js';
import {
  blockSql,
  BY_BANK,
  BY_BEGINNING,
  BY_ID,
  BY_REFERENCE,
  committing,
  COMPANY_BY_ID,
  dropping,
  ENSURE_COMPANY,
  LATEST,
  NEWEST,
  readingSql,
  SIZE,
} from './statements.js';

interface ReadingRecord {
  readonly epoch: string;
  readonly reading: string | null;
  readonly reading_sum: number | null;
}

type SharedRow = MirroredRecord<Buffer>;

/** Without an operation where there is none. */
type BlockRecord = { readonly epoch: string } & (SharedRow | { readonly id_mark: null });

export function postgresMirrorOf(connection: Connection, company: Company, sql: ClusterSql): Mirror {
  const { id, environment } = company;
  const [readingText, commitText, blockText] = [readingSql(sql), committing(sql), blockSql(sql)];
  const newest = async () =>
    (await connection.run<{ newest_id: string | null; newest_at: number | null }>(NEWEST, [id])).rows[0];
  const found = async (text: string, marks: readonly Buffer[]): Promise<readonly SharedRow[]> =>
    marks.length === 0 ? [] : (await connection.run<SharedRow>(text, [id, marks])).rows;
  const number = async (): Promise<number | null> =>
    (await connection.run<{ company: number }>(COMPANY_BY_ID, [id])).rows[0]?.company ?? null;

  const ofIds = async (ids: readonly string[]): Promise<ReadonlyMap<string, KnownOperation>> => {
    const marks = new Map(ids.map((one) => [one, idMarkOf(one)]));
    const records = await found(BY_ID, [...marks.values()]);
    const known = new Map(records.map((record) => [record.id_mark.toString('hex'), operationIn(record)]));
    return new Map(
      [...marks].flatMap(([one, mark]) => {
        const operation = known.get(mark.toString('hex'));
        return operation === undefined ? [] : [[one, operation] as const];
      }),
    );
  };

  const searched = async (text: string, ...values: readonly unknown[]): Promise<KnownOperation[]> =>
    (await connection.run<SharedRow>(text, [id, ...values])).rows.map(operationIn);

  const reading = async (): Promise<Reading> => {
    await connection.run(ENSURE_COMPANY, [id, environment]);
    const [record] = (await connection.run<ReadingRecord>(readingText, [id])).rows;
    if (record === undefined) throw new RangeError('a company of the mirror is gone');
    return readingIn(record);
  };

  return {
    ofIds,
    reading,
    newest: async () => {
      const of = toldText((await newest())?.newest_id ?? null);
      return of === null ? null : ((await ofIds([of])).get(of) ?? null);
    },
    ofReferences: async (direction, folded) => {
      const marks = [...new Set(folded)].map((one) => SHARED.reference(direction, one));
      return byReference(direction, await found(BY_REFERENCE, marks));
    },
    blocks: () =>
      inBlocks<Buffer>(async (after) => {
        const values = [id, after ?? Buffer.alloc(0)];
        return blockIn((await connection.run<BlockRecord>(blockText, values)).rows);
      }),
    list: ({ sinceMs, untilMs, direction, status, method }, limit) => {
      const range = [sinceMs ?? Number.MIN_SAFE_INTEGER, untilMs ?? Number.MAX_SAFE_INTEGER];
      const words = [status, method].map((word) => (word === undefined ? null : heldText(word)));
      return searched(LATEST, ...range, direction ?? null, ...words, limit);
    },
    ofBeginning: (beginning, limit) => {
      const low = beginning.toLowerCase();
      const first = low.slice(0, 64);
      return searched(BY_BEGINNING, first, first + LAST_CHARACTER, low, limit);
    },
    ofBankReference: (reference, limit) => searched(BY_BANK, lowerAscii(heldText(reference)), limit),
    size: async () => {
      const of = await number();
      if (of === null) return 0;
      return (await connection.run<{ size: number }>(SIZE, [of])).rows[0]?.size ?? 0;
    },
    heardAtMs: async () => (await newest())?.newest_at ?? null,
    commit: async (operations, { epoch, ...rest }) => {
      const text = JSON.stringify(rest);
      const each = onceEach(operations);
      const last = each.reduce<KnownOperation | null>(
        (most, one) => (most === null || one.occurredAtMs > most.occurredAtMs ? one : most),
        null,
      );
      const records = each.map((one) => operationCells(one, SHARED));
      const { rows } = await connection.run<{ done: boolean }>(commitText, [
        ...[id, epoch, text, shortMark(text)],
        ...[last === null ? null : heldText(last.id), last?.occurredAtMs ?? null],
        ...MIRROR_NAMES.map((_, at) => records.map((record) => record[at])),
      ]);
      return rows[0]?.done === true;
    },
    reset: async ({ epoch }) => {
      const of = await number();
      if (of === null) return;
      const now = (await reading()).epoch;
      if (now !== epoch) return;
      const [, count = ''] = epoch.split('-');
      await connection.run(dropping(of, `c.epoch = ${Number(count).toFixed()}`));
    },
  };
}

function idMarkOf(id: string): Buffer {
  return SHARED.id(idInOneCase(id));
}

function operationIn(record: SharedRow): KnownOperation {
  return operationOf(record, SHARED);
}

/** @throws RangeError for one that is not what was written: a cursor that is off by a digit would leave payments out */
function readingIn({ epoch, reading, reading_sum: sum }: ReadingRecord): Reading {
  if (reading === null) return unread(epoch);
  if (shortMark(reading) !== sum) throw new RangeError('the reading of a mirror is not what was written');
  return { ...(JSON.parse(reading) as Omit<Reading, 'epoch'>), epoch };
}

/** Null where the company is not known. */
function blockIn(rows: readonly BlockRecord[]): OperationBlock<Buffer> | null {
  const [first] = rows;
  if (first === undefined) return null;
  const records = rows.filter((row) => row.id_mark !== null);
  const last = records.length < BLOCK_ROWS ? null : (records.at(-1)?.id_mark ?? null);
  return { epoch: first.epoch, operations: records.map(operationIn), last };
}

/** One statement takes each row once. */
function onceEach(operations: readonly KnownOperation[]): KnownOperation[] {
  const each = new Map<string, KnownOperation>();
  for (const seen of operations) {
    const mark = idMarkOf(seen.id).toString('hex');
    const known = each.get(mark);
    each.set(mark, known === undefined ? seen : preferred(known, seen));
  }
  return [...each.values()];
}

function byReference(direction: Direction, records: readonly SharedRow[]): Map<string, KnownOperation[]> {
  const found = new Map<string, KnownOperation[]>();
  for (const record of records) {
    const [folded, operation] = [toldText(foldedOf(record)), operationIn(record)];
    if (folded === null || operation.direction !== direction) continue;
    const known = found.get(folded);
    if (known === undefined) found.set(folded, [operation]);
    else known.push(operation);
  }
  for (const operations of found.values())
    operations.sort((a, b) => a.occurredAtMs - b.occurredAtMs || (a.id < b.id ? -1 : 1));
  return found;
}
