/** Batches into the tables of a feed in PostgreSQL, while one run holds them: each is one statement, which asks whether that is still so. */
import type { Answered, Connection } from '../../../state/connection.js';
import { isState, UNIQUE_VIOLATION } from '../../../state/failures.js';
import type { Position } from '../../walk.js';
import type { EventBatch } from '../batch.js';
import { type NumberedEvent, EVENT_COLUMNS, OPERATION_COLUMNS, type OperationRow } from '../rows.js';
import { tablesTakenOver } from '../table.js';
import { movedAway } from './failures.js';
import { HOLDER, STILL_HOLD, WRITE, WRITE_NEW } from './statements.js';

export interface Holding {
  readonly token: string;
  readonly leaseMs: number;
  /** Of the last commit. */
  readonly sequence: number;
}

interface Sequence {
  readonly sequence: number;
}

interface Writer {
  /** @throws TableAway where the tables stand elsewhere; Failure `locked` where another run has them; what the statement throws */
  write(batch: EventBatch, position: Position): Promise<void>;
  /** The same without a batch, so that the lease is renewed; where an answer does not come, nothing is said. */
  renew(): Promise<void>;
}

export function writerOver(connection: Connection, { token, leaseMs, sequence: first }: Holding): Writer {
  let sequence = first;
  let isWriting = false;
  const arrays = new TextArrays();
  const write = async (batch: EventBatch, position: Position): Promise<void> => {
    const values = [token, sequence, JSON.stringify(position), batch.count, batch.newest, leaseMs];
    const [moved] = (await put([...values, ...columnsOf(batch, arrays)])).rows;
    if (moved === undefined) throw await whyNot();
    ({ sequence } = moved);
  };
  const put = async (values: readonly unknown[]): Promise<Answered<Sequence>> => {
    try {
      return await connection.once<Sequence>(WRITE_NEW, values);
    } catch (error) {
      if (!isState(error, UNIQUE_VIOLATION)) throw error;
      return connection.once<Sequence>(WRITE, values);
    }
  };
  const whyNot = async (): Promise<Error> => {
    const [now] = (await connection.once<{ holder: string | null }>(HOLDER)).rows;
    return now?.holder === token ? movedAway() : tablesTakenOver();
  };
  return {
    write: async (batch, position) => {
      isWriting = true;
      await write(batch, position);
      isWriting = false;
    },
    renew: async () => {
      const known = sequence;
      const answered = await connection.once<Sequence>(STILL_HOLD, [token, leaseMs]).catch(() => null);
      if (answered === null) return;
      const [now] = answered.rows;
      if (now === undefined) throw tablesTakenOver();
      // Nothing was written meanwhile, and they stand elsewhere.
      if (!isWriting && known === sequence && now.sequence !== sequence) throw movedAway();
    },
  };
}

/** The parameters of the rows: each column is an array. */
function columnsOf({ events, operations }: EventBatch, arrays: TextArrays): Buffer[] {
  // One batch is written at a time.
  arrays.clear();
  return [
    ...Object.keys(EVENT_COLUMNS).map((name) =>
      arrays.array(events.map((row) => cellOf(row[name as keyof NumberedEvent]))),
    ),
    ...Object.keys(OPERATION_COLUMNS).map((name) =>
      arrays.array(operations.map((row) => cellOf(row[name as keyof OperationRow]))),
    ),
  ];
}

function cellOf(value: string | number | Uint8Array | null): string | null {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex');
}

const TEXT_TYPE = 25;
const HEAD = 20;

/** The most bytes of a unit of UTF-16 in UTF-8. */
const WIDEST = 3;

/** Arrays of texts in PostgreSQL's binary form, in which nothing is escaped. Writes into memory that it keeps: what every batch needs anew would be collected, and given out by the system a page at a time. */
export class TextArrays {
  #bytes = Buffer.allocUnsafe(0);
  #end = 0;

  /** Nothing that was written before is read any more. */
  clear(): void {
    this.#end = 0;
  }

  /** Good until `clear`. */
  array(values: readonly (string | null)[]): Buffer {
    // Measured once, roughly: to ask how long each of them is would take as long as to write it.
    const room = values.reduce((sum, value) => sum + 4 + WIDEST * (value?.length ?? 0), HEAD);
    if (this.#bytes.length - this.#end < room) {
      this.#bytes = Buffer.allocUnsafe(Math.max(room, 2 * this.#bytes.length));
      this.#end = 0;
    }
    const [bytes, start] = [this.#bytes, this.#end];
    // One dimension, nulls among them, texts; so many, the first of which is number 1.
    const head = [1, 1, TEXT_TYPE, values.length, 1];
    head.forEach((number, at) => bytes.writeInt32BE(number, start + 4 * at));
    let at = start + HEAD;
    for (const value of values) {
      const length = value === null ? -1 : bytes.write(value, at + 4);
      bytes.writeInt32BE(length, at);
      at += 4 + Math.max(0, length);
    }
    this.#end = at;
    return bytes.subarray(start, at);
  }
}
