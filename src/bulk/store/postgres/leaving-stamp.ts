/**
 * The sealed moment when a row first left. A later moment would make an old key look young, and a key that the service has forgotten pays again.
 * An exchange does not know its rows yet: it brings a key for its moment, and the database makes a stamp for each row from it.
 */
import { hash } from 'node:crypto';
import type { StateKey } from '../../../state/key.js';

/** Which exchange it was, and when its rows left, in whole milliseconds of the service's time. */
interface Leaving {
  readonly worker: number;
  readonly seq: number;
  readonly sentAtMs: number;
  /** What the clocks of its machine said then; null where nobody was there. */
  readonly clocks: string | null;
}

/** A row as it stands. */
export interface StampedRow {
  readonly number: number;
  readonly generation: number;
  readonly sent_at: number | null;
  readonly sent_clocks: string | null;
  readonly left_seal: Uint8Array | null;
}

/** What says when a row left that no worker sent: a person, or the events. */
const NO_WORKER = { worker: -1, seq: 0 };

/** Of one batch. */
export interface LeavingStamps {
  /** What an exchange brings for the rows that leave with it; null without a key. */
  keyOf(leaving: Leaving): Buffer | null;
  /** The same for a row that no worker sent, in hexadecimal. */
  keyOfResult(sentAtMs: number | null): string | null;
  /** False where it did not leave when it says that it did. */
  isWhole(row: StampedRow): boolean;
}

/** @param batch what it is, without NUL at its end @param key null in a sandbox that has none: then nothing is stamped */
export function leavingStamps(batch: string, key: StateKey | null): LeavingStamps {
  /** Rows that lie together have left together. */
  let last: { readonly head: string; readonly sealed: Buffer } | null = null;
  const sealed = (worker: string, seq: string, sentAtMs: number, clocks: string | null): Buffer | null => {
    if (key === null) return null;
    const head = `svc left\0${batch}\0${worker}\0${seq}\0${String(sentAtMs)}\0${clocks ?? ''}\0`;
    if (last?.head !== head) last = { head, sealed: Buffer.from(key.seal(head, new Uint8Array())) };
    return last.sealed;
  };
  const keyOf: LeavingStamps['keyOf'] = ({ worker, seq, sentAtMs, clocks }) =>
    sealed(String(worker), String(seq), sentAtMs, clocks);
  return {
    keyOf,
    keyOfResult: (sentAtMs) =>
      sentAtMs === null ? null : (keyOf({ ...NO_WORKER, sentAtMs, clocks: null })?.toString('hex') ?? null),
    isWhole: ({ number, generation, sent_at: sentAtMs, sent_clocks: clocks, left_seal: stamp }) => {
      if (key === null || sentAtMs === null) return true;
      if (stamp?.length !== EXCHANGE_BYTES + HASH_BYTES) return false;
      const bytes = Buffer.from(stamp);
      const [worker, seq] = [bytes.readBigInt64BE(0), bytes.readBigInt64BE(8)];
      const row = Buffer.alloc(8);
      row.writeInt32BE(number, 0);
      row.writeInt32BE(generation, 4);
      const part = sealed(String(worker), String(seq), sentAtMs, clocks) ?? row;
      return bytes.subarray(EXCHANGE_BYTES).equals(hash('sha256', Buffer.concat([part, row]), 'buffer'));
    },
  };
}

const EXCHANGE_BYTES = 16;
const HASH_BYTES = 32;

/**
 * The stamp as SQL, of the row `r`; null without a key.
 * @param exchange worker and number of it, as SQL
 * @param key what it brings, as SQL
 */
export function stampOn([worker, seq]: readonly [string, string], key: string): string {
  return `int8send(${worker}) || int8send(${seq}) || sha256(${key} || int4send(r.number) || int4send(r.generation))`;
}
