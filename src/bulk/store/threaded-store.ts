/**
 * The store of batches with its exchanges in another thread. Bytes and text pass between the two: a copy of many small objects costs more than
 * the work. All other calls run in the caller's thread.
 */
import { Failure } from '../../runtime/failure.js';
import type { StartThread, Thread } from '../../runtime/thread.js';
import type { BatchStore } from './batch-store.js';
import type { TakenRow } from './records.js';
import type { Claim, ClaimedRow, RowResult, TakenRows } from './row.js';

/** @param file of the same store: the thread opens it for itself, at the first exchange */
export function inThread(store: BatchStore, file: string, startThread: StartThread): BatchStore {
  let thread: Thread | null = null;
  return {
    ...store,
    exchange: async (batch, results, claim) => {
      thread ??= startThread('bulk/store/exchange-thread', file);
      const question: ExchangeQuestion = { batch, results: packResults(results), claim };
      const rows = await thread.ask(question).catch((cause: unknown) => {
        if (cause instanceof Failure) throw cause;
        // It ended, or has a defect: whether its last commit was done is not known, so it is as good as a disk that failed.
        const text = 'What writes to the store of batches failed. What was recorded is kept.';
        throw new Failure('local_state', text, { code: 'store_unusable', outcome: 'not_sent', cause });
      });
      return new UnpackedRows(rows as PackedRows);
    },
    close: async () => {
      await thread?.end();
      await store.close();
    },
  };
}

/** What the thread is asked; results as JSON, which is quicker to copy than what it stands for. */
export interface ExchangeQuestion {
  readonly batch: number;
  readonly results: string;
  readonly claim: Claim | null;
}

export function packResults(results: readonly RowResult[]): string {
  return JSON.stringify(results);
}

export function unpackResults(packed: string): RowResult[] {
  return JSON.parse(packed) as RowResult[];
}

/** Rows one after the other, each as a line of JSON and its body; made again one by one, so that nothing of them stays in memory. */
export interface PackedRows {
  readonly bytes: Uint8Array;
  /** Two for each row: where its JSON ends, and where its body does. */
  readonly ends: Uint32Array;
}

/** Packs rows as they come. */
export class RowPacker {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #length = 0;
  readonly #ends: number[] = [];

  add({ body, ...rest }: TakenRow): void {
    this.#append(JSON.stringify(rest));
    this.#append(body);
  }

  packed(): PackedRows {
    // A copy: a view would take all of its memory along.
    return {
      bytes: Uint8Array.from(this.#bytes.subarray(0, this.#length)),
      ends: Uint32Array.from(this.#ends),
    };
  }

  #append(text: string): void {
    // A unit of UTF-16 takes three bytes at the most.
    const most = this.#length + 3 * text.length;
    if (most > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * most);
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#length += this.#bytes.write(text, this.#length);
    this.#ends.push(this.#length);
  }
}

/** The rows of a pack. */
export class UnpackedRows implements TakenRows {
  readonly #bytes: Buffer;
  readonly #ends: Uint32Array;

  constructor({ bytes, ends }: PackedRows) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#ends = ends;
  }

  get length(): number {
    return this.#ends.length / 2;
  }

  at(index: number): ClaimedRow | undefined {
    const at = 2 * (index < 0 ? index + this.length : index);
    const [begin = 0, middle, end] = [this.#ends[at - 1], this.#ends[at], this.#ends[at + 1]];
    if (middle === undefined) return undefined;
    const rest = JSON.parse(this.#bytes.toString('utf8', begin, middle)) as Omit<ClaimedRow, 'body'>;
    return { ...rest, body: this.#bytes.subarray(middle, end) };
  }

  *[Symbol.iterator](): Generator<ClaimedRow> {
    for (let index = 0; index < this.length; index += 1) {
      const row = this.at(index);
      if (row === undefined) throw new RangeError('a pack holds less than it says');
      yield row;
    }
  }
}
