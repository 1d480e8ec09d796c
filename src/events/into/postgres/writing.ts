/** Batches into the tables of a feed in PostgreSQL, while one run holds them: each is one statement, which asks whether that is still so. */
import type { Answered, Connection } from '../../../state/connection.js';
import { isState, UNIQUE_VIOLATION } from '../../../state/failures.js';
import type { Position } from '../../walk.js';
import type { EventBatch, NumberedEvent } from '../batch.js';
import { EVENT_COLUMNS, OPERATION_COLUMNS } from '../columns.js';
import type { OperationRow } from '../rows.js';
import { tablesTakenOver } from '../table.js';
import { movedAway } from './failures.js';
import { HOLDER, STILL_HOLD, WRITE, WRITE_NEW } from './statements.js';
import { TextArrays } from './text-array.js';

export interface Holding {
  readonly token: string;
  readonly leaseMs: number;
  /** Of the last commit. */
  readonly sequence: number;
}

interface Sequence {
  readonly sequence: number;
}

export interface Writer {
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
