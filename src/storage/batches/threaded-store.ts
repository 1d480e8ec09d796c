import { Failure } from '../../runtime/failure.js';
import type { StartThread, Thread } from '../../runtime/thread.js';
import type { BatchStore } from './batch-store.js';
import type { TakenRow } from './records.js';
import type { Claim, ClaimedRow, RowResult, TakenRows } from './row.js';

export function threadedStore(store: BatchStore, file: string, startThread: StartThread): BatchStore {
  let thread: Thread | null = null;
  return {
    ...store,
    exchange: async (batch, results, claim) => {
      thread ??= startThread('storage/batches/exchange-thread', file);
      const question: ExchangeQuestion = { batch, results: packResults(results), claim };
      const rows = await thread.ask(question).catch((cause: unknown) => {
        if (cause instanceof Failure) throw cause;
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

export interface PackedRows {
  readonly bytes: Uint8Array;
  readonly endOffsets: Uint32Array;
}

export class RowPacker {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #length = 0;
  readonly #ends: number[] = [];

  add({ body, ...members }: TakenRow): void {
    this.#append(JSON.stringify(members));
    this.#append(body);
  }

  packed(): PackedRows {
    return {
      bytes: Uint8Array.from(this.#bytes.subarray(0, this.#length)),
      endOffsets: Uint32Array.from(this.#ends),
    };
  }

  #append(text: string): void {
    const lengthMax = this.#length + 3 * text.length;
    if (lengthMax > this.#bytes.length) {
      const largerBuffer = Buffer.allocUnsafe(2 * lengthMax);
      this.#bytes.copy(largerBuffer, 0, 0, this.#length);
      this.#bytes = largerBuffer;
    }
    this.#length += this.#bytes.write(text, this.#length);
    this.#ends.push(this.#length);
  }
}

export class UnpackedRows implements TakenRows {
  readonly #bytes: Buffer;
  readonly #ends: Uint32Array;

  constructor({ bytes, endOffsets }: PackedRows) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#ends = endOffsets;
  }

  get length(): number {
    return this.#ends.length / 2;
  }

  at(index: number): ClaimedRow | undefined {
    const endIndex = 2 * (index < 0 ? index + this.length : index);
    const [begin = 0, middle, end] = [
      this.#ends[endIndex - 1],
      this.#ends[endIndex],
      this.#ends[endIndex + 1],
    ];
    if (middle === undefined) return undefined;
    const members = JSON.parse(this.#bytes.toString('utf8', begin, middle)) as Omit<ClaimedRow, 'body'>;
    return { ...members, body: this.#bytes.subarray(middle, end) };
  }

  *[Symbol.iterator](): Generator<ClaimedRow> {
    for (let index = 0; index < this.length; index += 1) {
      const row = this.at(index);
      if (row === undefined) throw new RangeError('a pack holds less than it says');
      yield row;
    }
  }
}
