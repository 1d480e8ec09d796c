/** The tables of a feed in PostgreSQL: one run holds them while it renews its lease. No state is in a session: any pooler may stand between. */
import { type Clock, systemTicker } from '../../../runtime/clock.js';
import { connect, type Connection, type Answered } from '../../../state/connection.js';
import type { StatePlace } from '../../../state/place.js';
import {
  type EventTable,
  positionIn,
  TableAway,
  tablesInUse,
  type FeedRecord,
  type IntoPlace,
  requireOurs,
  tablesMissing,
  tablesTakenOver,
} from '../table.js';
import {
  HOLD,
  HOLDER,
  LEAVE,
  BEGIN_FEED,
  creatingSql,
  LOOK,
  STILL_HOLD,
  WRITE,
  WRITE_NEW,
} from './statements.js';
import {
  isState,
  UNIQUE_VIOLATION,
  isInTheWay,
  isLost,
  isRotated,
  REFUSED,
  refusedText,
  saidBy,
} from '../../../state/failures.js';
import type { Position } from '../../walk.js';
import type { EventBatch, OpenTable } from '../batch.js';
import { type NumberedEvent, EVENT_COLUMNS, OPERATION_COLUMNS, type OperationRow } from '../rows.js';
import { Failure } from '../../../runtime/failure.js';

export interface PostgresTableOptions extends Omit<MakingOptions, 'schema'> {
  readonly at: StatePlace;
  readonly clock: Clock;
  /** Ends the wait for a holder who is not heard of. */
  readonly signal: AbortSignal;
  readonly token: string;
  /** Who holds them, as others see it. */
  readonly name: string;
  /** How long they stay held where nobody is heard of; renewed three times in that while. */
  readonly leaseMs: number;
}

/** Many rows, over a slow line. */
const STATEMENT_MS = 120_000;
const POLL_MS = 500;

interface Held {
  readonly position: string | null;
  readonly events: number;
  readonly newest_operation: string | null;
  readonly sequence: number;
}

interface Holder {
  readonly name: string | null;
  readonly holder: string | null;
  readonly until: string | null;
  readonly left_ms: number | null;
}

export function postgresTable(options: PostgresTableOptions): EventTable {
  const { at: place, clock, token } = options;
  let wasLetIn = false;
  const say = (): void => undefined;
  const tell = (error: unknown): never => {
    throw tableFailure(error, wasLetIn);
  };
  return {
    within: async (work) => {
      const connection = connect({ place, clock, patienceMs: 0, say, statementMs: STATEMENT_MS });
      let isAway = false;
      try {
        await requireFeed(connection, { ...options, schema: place.schema }).catch(tell);
        wasLetIn = true;
        const held = await hold(connection, options).catch(tell);
        return await working(connection, held, options, work);
      } catch (error) {
        isAway = error instanceof TableAway;
        throw error;
      } finally {
        // What cannot be said now, the end of the lease says; nobody waits for a database that is away.
        if (!isAway) await connection.once(LEAVE, [token]).catch(() => undefined);
        const closed = connection.close();
        if (!isAway) await closed;
      }
    },
  };
}

/** Waits out a holder who is not heard of any more. @throws Failure `locked` */
async function hold(connection: Connection, options: PostgresTableOptions): Promise<Held> {
  const { token, name, leaseMs, clock, signal } = options;
  for (let first: Holder | null = null; ;) {
    const [held] = (await connection.once<Held>(HOLD, [token, name, leaseMs])).rows;
    if (held !== undefined) return held;
    const [now] = (await connection.once<Holder>(HOLDER)).rows;
    if (now === undefined) throw tablesInUse(null);
    if (first !== null && (now.holder !== first.holder || now.until !== first.until))
      throw tablesInUse(now.name);
    first ??= now;
    await clock.sleep(Math.min(POLL_MS, (now.left_ms ?? 0) + 1), signal);
  }
}

async function working<T>(
  connection: Connection,
  held: Held,
  { token, leaseMs }: PostgresTableOptions,
  work: (open: OpenTable) => Promise<T>,
): Promise<T> {
  const writer = writerOver(connection, { token, leaseMs, sequence: held.sequence });
  const gone = new AbortController();
  const end = systemTicker(
    leaseMs / 3,
    () => void writer.renew().catch((error: unknown) => gone.abort(error)),
  );
  try {
    return await work({
      position: positionIn(held.position),
      count: held.events,
      operation: held.newest_operation,
      gone: gone.signal,
      write: (batch, position) =>
        writer.write(batch, position).catch((error: unknown) => {
          throw tableFailure(error, true);
        }),
    });
  } finally {
    end();
  }
}

interface MakingOptions extends IntoPlace {
  readonly schema: string;
  /** The line that makes them; null where this run may make them itself. */
  readonly creating: string | null;
}

interface Found extends FeedRecord {
  readonly encoding: string;
}

/** They are there: somebody else was faster. */
const THERE = ['42P07', '42P06', '23505'];

/** @throws Failure `local_state`, `unsafe` for those of another place; what the statements throw */
async function requireFeed(connection: Connection, options: MakingOptions): Promise<void> {
  const { creating } = options;
  const found = await look(connection);
  if (found === null && creating !== null) throw tablesMissing(creating);
  const record = found ?? (await make(connection, options));
  if (record.encoding !== 'UTF8')
    throw unusable(`keeps text as ${record.encoding}, which cannot hold every event. It must be UTF8`);
  requireOurs(record, options);
}

async function look(connection: Connection): Promise<Found | null> {
  try {
    return (await connection.once<Found>(LOOK)).rows[0] ?? null;
  } catch (error) {
    if (isNothingThere(error)) return null;
    throw error;
  }
}

/** All of it in one transaction, as several statements in one question are. */
async function make(connection: Connection, { schema, environment, origin }: MakingOptions): Promise<Found> {
  const refusal: unknown = await connection.script(creatingSql(schema)).then(
    () => null,
    (error: unknown) => error,
  );
  if (refusal !== null && !THERE.some((state) => isState(refusal, state))) throw refusal as Error;
  await connection.once(BEGIN_FEED, [environment, origin]).catch((error: unknown) => {
    // There are tables of such names, and none of ours among them.
    throw (refusal !== null && isNothingThere(error) ? refusal : error) as Error;
  });
  const record = await look(connection);
  if (record === null) throw unusable('does not have the tables that svc just made');
  return record;
}

interface Holding {
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

/** Each batch is one statement, which asks whether the run still holds the tables. */
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

/** Arrays of texts in PostgreSQL's binary form, in which nothing is escaped. Writes into memory that it keeps: fresh memory for every batch would be collected, and given out by the system a page at a time. */
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

const TEXTS: Readonly<Record<string, string>> = {
  ...REFUSED,
  '42501':
    'does not give this user the rights it needs: SELECT, INSERT and UPDATE on svc_events, svc_operations and svc_feed, and CREATE for --create',
  '42P07': 'has a table with that name that svc did not make: name another schema with ?schema=NAME',
  '53100': 'cannot grow: its disk is full. What was written before is kept',
};
/** No table, or no schema. */
const NOTHING_THERE = ['42P01', '3F000'];

function isNothingThere(error: unknown): boolean {
  return NOTHING_THERE.some((state) => isState(error, state));
}

/** A cancelled statement; no room, memory or connection; a lock; a transaction that idled; a fault of the disk. */
const PASSING = /^(57014|53\w{3}|55P03|25P03|58030)$/;

/** @param wasLetIn a password that was good may be replaced at this moment */
export function tableFailure(error: unknown, wasLetIn: boolean): Error {
  if (error instanceof TableAway) return error;
  // A commit that its standbys did not see may be forgotten, and then its place is forgotten with it.
  if (error instanceof Failure) return error.facts.code === 'commit_not_replicated' ? away(error) : error;
  const refused = refusedText(error, TEXTS, 'SVC_INTO_PASSWORD or SVC_INTO_PASSWORD_FILE');
  if (PASSING.test(String((error as { code?: unknown } | null)?.code))) return away(error, refused);
  return isLost(error) || isInTheWay(error) || isRotated(error, wasLetIn)
    ? away(error)
    : unusable(refused, error);
}

function away(error: unknown, what = `cannot be reached: ${saidBy(error)}`): TableAway {
  const text = `The database of --into ${what}. svc reads again what it has not written yet.`;
  return new TableAway(
    new Failure('local_state', text, { code: 'into_unreachable', retryable: true, cause: error }),
  );
}

/** The database lost acknowledged commits, or somebody changed it: the position in memory may be wrong. */
function movedAway(): TableAway {
  const text =
    'The tables of --into are not as this run left them: another server took over, or somebody restored them.';
  return new TableAway(new Failure('local_state', text, { code: 'into_unreachable', retryable: true }));
}

/** @param what as the rest of a sentence */
function unusable(what: string, cause?: unknown): Failure {
  return new Failure('local_state', `The database of --into ${what}. Nothing more was written.`, {
    code: 'into_unusable',
    cause,
  });
}
