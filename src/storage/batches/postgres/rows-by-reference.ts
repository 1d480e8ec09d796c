import { damagedStore } from '../records.js';
import { holdersWhere, OTHER_ROW, otherRowOf, type OtherRecord } from '../reads.js';
import type { Holder, OtherRow } from '../row.js';
import type { Connection } from '../../postgres/connection.js';
import { openState, type StateOptions } from '../../postgres/open.js';
import { isAmongTexts } from '../../postgres/sql.js';
import type { BatchFacts, BatchStore } from '../batch-store.js';

const SELECT_OTHERS = `${OTHER_ROW}
FROM unnest($2::bytea[]) WITH ORDINALITY AS k(mark, place) JOIN svc.rows r ON r.reference_mark = k.mark AND r.batch <> $1
JOIN svc.batches b ON b.batch = r.batch AND b.ready
JOIN svc.batches mine ON mine.batch = $1 AND mine.environment = b.environment AND mine.direction = b.direction
ORDER BY k.place, r.batch, r.number`;

export async function othersOf(
  connection: Connection,
  batch: number,
  marks: readonly Uint8Array[],
): Promise<OtherRow[]> {
  const { rows } = await connection.run<OtherRecord>(SELECT_OTHERS, [batch, marks]);
  if (rows.length === 0) {
    const batchResult = await connection.run('SELECT 1 FROM svc.batches WHERE batch = $1', [batch]);
    if (batchResult.rows.length === 0) throw damagedStore('a batch is gone');
  }
  return rows.map(otherRowOf);
}

const SELECT_HOLDERS = holdersWhere(isAmongTexts('r.operation'));

export async function holdersOf(connection: Connection, operations: readonly string[]): Promise<Holder[]> {
  return [...(await connection.run<Holder>(SELECT_HOLDERS, [operations])).rows];
}

const WITH_REFERENCES = `${OTHER_ROW}
FROM unnest($1::bytea[]) WITH ORDINALITY AS k(mark, place) JOIN svc.rows r ON r.reference_mark = k.mark
JOIN svc.batches b ON b.batch = r.batch AND b.ready AND b.environment = $2 AND b.direction = $3
ORDER BY k.place, r.batch, r.number`;

export type SharedRows = Awaited<ReturnType<typeof openSharedRows>>;

export async function openSharedRows(options: StateOptions) {
  const { connection } = await openState(options);
  return {
    holders: (operations: readonly string[]) => holdersOf(connection, operations),
    withReferences: async (
      { environment, direction }: Pick<BatchFacts, 'environment' | 'direction'>,
      marks: readonly Uint8Array[],
    ) => {
      const values = [marks, environment, direction];
      const { rows } = await connection.run<OtherRecord>(WITH_REFERENCES, values);
      return rows.map(otherRowOf);
    },
    close: () => connection.close(),
  };
}

export function previewStore(store: BatchStore, { withReferences }: SharedRows): BatchStore {
  const planFacts = new Map<number, BatchFacts>();
  return {
    ...store,
    begin: async (facts) => {
      const batch = await store.begin(facts);
      planFacts.set(batch, facts);
      return batch;
    },
    others: async (batch, marks) => {
      const facts = planFacts.get(batch);
      return facts === undefined ? store.others(batch, marks) : withReferences(facts, marks);
    },
  };
}
