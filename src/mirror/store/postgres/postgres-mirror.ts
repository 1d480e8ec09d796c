/** The mirror of one company in PostgreSQL: pages are taken in, and what is in them is found, a block at a time. */
import { idInOneCase } from '../../../contract/notation.js';
import { type KnownOperation, preferred } from '../../../contract/operation-facts.js';
import type { ClusterSql } from '../../../state/cluster.js';
import type { Connection } from '../../../state/connection.js';
import { type OperationBlock, BLOCK_ROWS, inBlocks, type Company, type Mirror } from '../../mirror.js';
import type { Reading } from '../../reading.js';
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
} from '../records.js';
import { LAST_CHARACTER, lowerAscii } from '../search.js';
import { askOver, heldText, SHARED, toldText } from './records.js';
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

interface NewestRecord {
  readonly newest_id: string | null;
  readonly newest_at: number | null;
}

export function postgresMirrorOf(connection: Connection, company: Company, sql: ClusterSql): Mirror {
  const { id, environment } = company;
  const [readingText, commitText, blockText] = [readingSql(sql), committing(sql), blockSql(sql)];
  const ask = askOver(connection);
  const one = <Record>(text: string, of: unknown = id): Promise<Record | undefined> =>
    ask(text, [of], ([first]: readonly Record[]) => first);
  const found = <T>(
    text: string,
    marks: readonly Buffer[],
    read: (records: readonly SharedRow[]) => T,
  ): Promise<T> => (marks.length === 0 ? Promise.resolve(read([])) : ask(text, [id, marks], read));
  const number = async (): Promise<number | null> =>
    (await one<{ company: number }>(COMPANY_BY_ID))?.company ?? null;
  const ofIds = (ids: readonly string[]): Promise<Map<string, KnownOperation>> =>
    found(BY_ID, ids.map(idMarkOf), (records) => byIds(ids, records.map(operationIn)));
  const searched = (text: string, ...values: readonly unknown[]): Promise<KnownOperation[]> =>
    ask(text, [id, ...values], (records: readonly SharedRow[]) => records.map(operationIn));
  const reading = async (): Promise<Reading> => {
    await connection.run(ENSURE_COMPANY, [id, environment]);
    return ask(readingText, [id], ([record]: readonly ReadingRecord[]) => {
      if (record === undefined) throw new RangeError('a company of the mirror is gone');
      return readingIn(record.epoch, record);
    });
  };

  return {
    ofIds,
    reading,
    newest: async () => {
      const of = toldText((await one<NewestRecord>(NEWEST))?.newest_id ?? null);
      return of === null ? null : ((await ofIds([of])).get(of) ?? null);
    },
    ofReferences: (direction, folded) => {
      const marks = [...new Set(folded)].map((text) => SHARED.reference(direction, text));
      return found(BY_REFERENCE, marks, (records) =>
        byReferences(
          direction,
          records.map((record) => [toldText(foldedOf(record)), operationIn(record)]),
        ),
      );
    },
    blocks: () => inBlocks<Buffer>((after) => ask(blockText, [id, after ?? Buffer.alloc(0)], blockIn)),
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
      return of === null ? 0 : ((await one<{ size: number }>(SIZE, of))?.size ?? 0);
    },
    heardAtMs: async () => (await one<NewestRecord>(NEWEST))?.newest_at ?? null,
    commit: async (operations, { epoch, ...rest }) => {
      const text = JSON.stringify(rest);
      const each = onceEach(operations);
      const last = latestOf(each);
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
