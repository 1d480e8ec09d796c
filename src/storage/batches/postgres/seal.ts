import { hash } from 'node:crypto';
import type { Connection } from '../../postgres/connection.js';
import type { StateKey } from '../../postgres/key.js';
import { Failure } from '../../../runtime/failure.js';
import { flagWords, svcLine } from '../../../runtime/shell.js';
import type { BatchFacts } from '../batch-store.js';
import { damagedStore } from '../records.js';
import type { SealedRow } from '../row.js';

export type SealedBatch = Pick<BatchFacts, 'name' | 'environment' | 'direction'>;

export type RowSeals = ReturnType<typeof sealsOf>;

export function sealsOf(sealedBatch: SealedBatch, key: StateKey | null) {
  const { name, environment, direction } = sealedBatch;
  const batchText = [environment, direction, name].join('\0');
  const sealOf = (row: SealedRow, body: Uint8Array): Uint8Array => {
    const { number, line, reference, currency, amount, follows, generation } = row;
    const parts = [batchText, number, line, reference, currency, amount, follows, generation, row.key];
    const head = `svc row\0${parts.join('\0')}\0`;
    return key === null
      ? hash('sha256', Buffer.concat([Buffer.from(head), body]), 'buffer')
      : key.seal(head, body);
  };
  const stamps = leavingStamps(batchText, key);
  return {
    stamps,
    requireStamp: (record: SealedRow & StampedRow): void => {
      if (!stamps.isUnaltered(record)) throw stampFailure(name, record);
    },
    seal: (row: SealedRow, body: Uint8Array) => ({
      seal: Buffer.from(sealOf(row, body)),
      body: Buffer.from(key === null ? body : key.hide(body, bodyContext(batchText, row))),
    }),
    unseal: (record: SealedRow & { readonly seal: Uint8Array; readonly body: Uint8Array | null }) => {
      const { line, body: storedBody, seal } = record;
      if (storedBody === null) throw alteredFailure(name, `the body of line ${String(line)} is gone`);
      const body = key === null ? storedBody : key.reveal(storedBody, bodyContext(batchText, record));
      if (body === null || Buffer.compare(sealOf(record, body), seal) !== 0)
        throw alteredFailure(name, `the row of line ${String(line)} is not what was planned`);
      return body;
    },
  };
}

export type SealsByBatch = ReturnType<typeof sealsByBatch>;

export function sealsByBatch(connection: Connection, key: StateKey | null) {
  const loadedSeals = new Map<number, RowSeals>();
  const addBatch = (batch: number, facts: SealedBatch): RowSeals => {
    const seals = sealsOf(facts, key);
    loadedSeals.set(batch, seals);
    return seals;
  };
  const loadBatch = async (batch: number): Promise<RowSeals> => {
    const sql = 'SELECT name, environment, direction FROM svc.batches WHERE batch = $1';
    const [record] = (await connection.run<SealedBatch>(sql, [batch])).rows;
    if (record === undefined) throw damagedStore('a batch is gone');
    return addBatch(batch, record);
  };
  return {
    add: addBatch,
    of: async (batch: number): Promise<RowSeals> => loadedSeals.get(batch) ?? loadBatch(batch),
  };
}

function alteredFailure(name: string, what: string): Failure {
  const text =
    `Somebody or something changed the database of the shared state: ${what}. Nothing more was sent. Find out who can write there. Then ` +
    `"svc batches drop ${name}" removes what never left, and its file can be run again: its rows have the same keys.`;
  return new Failure('local_state', text, { code: 'store_damaged' });
}

function stampFailure(name: string, { line, reference }: SealedRow): Failure {
  const flags = [...flagWords('--reference', reference), '--operation', 'ID'];
  const resolve = svcLine('batches resolve', flags, [name]);
  const text =
    `Somebody or something changed the database of the shared state: when the row of line ${String(line)} left is not what was written. ` +
    `Nothing more was sent. Find out who can write there, and say what became of that row: ${resolve}, or --not-paid in place of --operation ID.`;
  return new Failure('local_state', text, { code: 'store_damaged' });
}

function bodyContext(batchText: string, { number, generation }: SealedRow): string {
  return `svc body\0${batchText}\0${String(number)}\0${String(generation)}`;
}

export interface StampedRow {
  readonly number: number;
  readonly generation: number;
  readonly sent_at: number | null;
  readonly sent_clocks: string | null;
  readonly left_seal: Uint8Array | null;
}

export type LeavingStamps = ReturnType<typeof leavingStamps>;

/**
 * Seals the time of sending, because a changed time could make an expired idempotency key look valid, and the row
 * would be sent again.
 */
function leavingStamps(batchText: string, key: StateKey | null) {
  let lastSeal: { readonly head: string; readonly seal: Buffer } | null = null;
  const stampKeyFor = (
    worker: number | bigint,
    seq: number | bigint,
    sentAtMs: number,
    clocks: string | null,
  ): Buffer | null => {
    if (key === null) return null;
    const head = `svc left\0${batchText}\0${worker}\0${seq}\0${sentAtMs}\0${clocks ?? ''}\0`;
    if (lastSeal?.head !== head) lastSeal = { head, seal: Buffer.from(key.seal(head, new Uint8Array())) };
    return lastSeal.seal;
  };
  return {
    keyOf: stampKeyFor,
    keyOfResult: (sentAtMs: number | null) =>
      sentAtMs === null ? null : (stampKeyFor(-1, 0, sentAtMs, null)?.toString('hex') ?? null),
    isUnaltered: (stampedRow: StampedRow): boolean => {
      const { number, generation, sent_at: sentAtMs, sent_clocks: clocks, left_seal: stamp } = stampedRow;
      if (key === null || sentAtMs === null) return true;
      if (stamp?.length !== EXCHANGE_BYTES + HASH_BYTES) return false;
      const bytes = Buffer.from(stamp);
      const [worker, seq] = [bytes.readBigInt64BE(0), bytes.readBigInt64BE(8)];
      const row = Buffer.alloc(8);
      row.writeInt32BE(number, 0);
      row.writeInt32BE(generation, 4);
      const stampKey = stampKeyFor(worker, seq, sentAtMs, clocks) ?? row;
      return bytes.subarray(EXCHANGE_BYTES).equals(hash('sha256', Buffer.concat([stampKey, row]), 'buffer'));
    },
  };
}

const EXCHANGE_BYTES = 16;
const HASH_BYTES = 32;

export function stampOn([worker, seq]: readonly [string, string], key: string): string {
  return `int8send(${worker}) || int8send(${seq}) || sha256(${key} || int4send(r.number) || int4send(r.generation))`;
}
