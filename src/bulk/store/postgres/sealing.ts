/** How a row is kept in PostgreSQL: sealed, with an encrypted body. Somebody who can write in the tables cannot change who is paid. */
import { hash } from 'node:crypto';
import type { Connection } from '../../../state/connection.js';
import type { StateKey } from '../../../state/key.js';
import { Failure } from '../../../runtime/failure.js';
import { flagWords, svcLine } from '../../../runtime/shell.js';
import type { BatchFacts } from '../batch.js';
import { damagedStore } from '../records.js';
import type { PlannedRow } from '../row.js';
import { leavingStamps, type LeavingStamps, type StampedRow } from './leaving-stamp.js';

/** What of a row must not change between the plan and the sending, but its body. */
type SealedRow = Pick<
  PlannedRow,
  'number' | 'line' | 'reference' | 'currency' | 'amount' | 'follows' | 'generation' | 'key'
>;

interface RecordedRow extends SealedRow {
  readonly seal: Uint8Array;
  readonly body: Uint8Array | null;
}

/** What a row is bound to: of another environment, in the other direction, in another batch it would be another payment. */
export type SealedBatch = Pick<BatchFacts, 'name' | 'environment' | 'direction'>;

/** Of one batch. */
export interface RowSeals {
  /** The seal of a row, and its body as it is kept. */
  close(row: SealedRow, body: Uint8Array): { readonly seal: Buffer; readonly body: Buffer };
  /** The bytes that leave. @throws Failure `store_damaged` for what is not what was planned, or not where it was */
  open(record: RecordedRow): Uint8Array;
  readonly stamps: LeavingStamps;
  /** @throws Failure `store_damaged` for a row that did not leave when it says that it did */
  requireStamp(record: SealedRow & StampedRow): void;
}

/** @param key null in a sandbox that has none: then a seal shows what was damaged, and not what was forged */
export function sealsOf(of: SealedBatch, key: StateKey | null): RowSeals {
  const { name, environment, direction } = of;
  const batch = [environment, direction, name].join('\0');
  const sealOf = (row: SealedRow, body: Uint8Array): Uint8Array => {
    const head = headOf(batch, row);
    return key === null
      ? hash('sha256', Buffer.concat([Buffer.from(head), body]), 'buffer')
      : key.seal(head, body);
  };
  const stamps = leavingStamps(batch, key);
  return {
    stamps,
    requireStamp: (record) => {
      if (!stamps.isWhole(record)) throw movedStamp(name, record);
    },
    close: (row, body) => ({
      seal: Buffer.from(sealOf(row, body)),
      body: Buffer.from(key === null ? body : key.hide(body, placeOf(batch, row))),
    }),
    open: (record) => {
      const { line, body: kept, seal } = record;
      if (kept === null) throw altered(name, `the body of line ${String(line)} is gone`);
      const body = key === null ? kept : key.reveal(kept, placeOf(batch, record));
      if (body === null || Buffer.compare(sealOf(record, body), seal) !== 0)
        throw altered(name, `the row of line ${String(line)} is not what was planned`);
      return body;
    },
  };
}

export interface KeptSeals {
  /** A batch stays what it was when it began. */
  begun(batch: number, facts: SealedBatch): void;
  of(batch: number): Promise<RowSeals>;
}

/** Those of the batches of a store: each is asked about once. */
export function keptSeals(connection: Connection, key: StateKey | null): KeptSeals {
  const kept = new Map<number, RowSeals>();
  const begun = (batch: number, facts: SealedBatch): RowSeals => {
    const seals = sealsOf(facts, key);
    kept.set(batch, seals);
    return seals;
  };
  const asked = async (batch: number): Promise<RowSeals> => {
    const sql = 'SELECT name, environment, direction FROM svc.batches WHERE batch = $1';
    const [record] = (await connection.run<SealedBatch>(sql, [batch])).rows;
    if (record === undefined) throw damagedStore('a batch is gone');
    return begun(batch, record);
  };
  return { begun, of: async (batch) => kept.get(batch) ?? asked(batch) };
}

/** No part holds NUL: PostgreSQL keeps none in a text. */
function headOf(batch: string, row: SealedRow): string {
  const { number, line, reference, currency, amount, follows, generation, key } = row;
  const parts = [batch, number, line, reference, currency, amount, follows, generation, key];
  return `svc row\0${parts.join('\0')}\0`;
}

/** @param what completes "Somebody or something has changed the database of the state: ..." */
function altered(name: string, what: string): Failure {
  return new Failure(
    'local_state',
    `Somebody or something changed the database of the shared state: ${what}. Nothing more was sent. Find out who can write there. Then ` +
      `"svc batches drop ${name}" removes what never left, and its file can be run again: its rows have the same keys.`,
    { code: 'store_damaged' },
  );
}

/** It may have left so long ago that its key pays again: only a person can say what became of it. */
function movedStamp(name: string, { line, reference }: SealedRow): Failure {
  const flags = [...flagWords('--reference', reference), '--operation', 'ID'];
  const resolve = svcLine('batches resolve', flags, [name]);
  return new Failure(
    'local_state',
    `Somebody or something changed the database of the shared state: when the row of line ${String(line)} left is not what was written. ` +
      `Nothing more was sent. Find out who can write there, and say what became of that row: ${resolve}, or --not-paid in place of --operation ID.`,
    { code: 'store_damaged' },
  );
}

function placeOf(batch: string, { number, generation }: SealedRow): string {
  return `svc body\0${batch}\0${String(number)}\0${String(generation)}`;
}
