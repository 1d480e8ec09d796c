import { type Clock, systemTicker } from '../../../runtime/clock.js';
import { connect, type Connection, type QueryResult } from '../../../storage/postgres/connection.js';
import type { StatePlace } from '../../../storage/postgres/place.js';
import {
  type EventTable,
  positionIn,
  TableAway,
  tablesInUseFailure,
  type FeedRecord,
  type FeedSource,
  requireSameFeed,
  missingTablesFailure,
  leaseLostFailure,
} from '../table.js';
import {
  HOLD_FEED,
  READ_HOLDER,
  RELEASE_FEED,
  BEGIN_FEED,
  creatingSql,
  READ_FEED,
  RENEW_LEASE,
  WRITE_ROWS,
  WRITE_NEW_ROWS,
} from './statements.js';
import {
  hasSqlState,
  UNIQUE_VIOLATION,
  isConflict,
  isLost,
  isRotated,
  ACCESS_REFUSALS,
  refusedText,
  messageOf,
} from '../../../storage/postgres/failures.js';
import type { EventBatch, OpenTable } from '../batch.js';
import { EVENT_NAMES, OPERATION_NAMES } from '../rows.js';
import { Failure } from '../../../runtime/failure.js';
import type { Position } from '../../../storage/checkpoints/checkpoint.js';

interface PostgresTableOptions extends FeedSource {
  readonly createCommand: string | null;
  readonly at: StatePlace;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly token: string;
  readonly name: string;
  readonly leaseMs: number;
}

const STATEMENT_MS = 120_000;
const POLL_MS = 500;

interface FeedRow {
  readonly position: string | null;
  readonly events: number;
  readonly newest_operation: string | null;
  readonly sequence: number;
}

type Holder = Readonly<Record<'name' | 'holder' | 'until', string | null>> & {
  readonly left_ms: number | null;
};

export function postgresTable(options: PostgresTableOptions): EventTable {
  const { at: place, clock, token } = options;
  let hasLoggedIn = false;
  const say = (): void => undefined;
  const throwFailure = (error: unknown): never => {
    throw tableFailure(error, hasLoggedIn);
  };
  return async (work) => {
    const connection = connect({ place, clock, patienceMs: 0, say, statementMs: STATEMENT_MS });
    let isAway = false;
    try {
      await requireFeed(connection, options).catch(throwFailure);
      hasLoggedIn = true;
      const feedRow = await takeTables(connection, options).catch(throwFailure);
      await runHolding(connection, feedRow, options, work);
    } catch (error) {
      isAway = error instanceof TableAway;
      throw error;
    } finally {
      // Does not wait for a database that is away, because the lease in it runs out by itself.
      if (!isAway) await connection.runOnce(RELEASE_FEED, [token]).catch(() => undefined);
      const closing = connection.close();
      if (!isAway) await closing;
    }
  };
}

async function takeTables(connection: Connection, options: PostgresTableOptions): Promise<FeedRow> {
  const { token, name, leaseMs, clock, signal } = options;
  for (let firstHolder: Holder | null = null; ;) {
    const [takenRow] = (await connection.runOnce<FeedRow>(HOLD_FEED, [token, name, leaseMs])).rows;
    if (takenRow !== undefined) return takenRow;
    const [presentHolder] = (await connection.runOnce<Holder>(READ_HOLDER)).rows;
    if (presentHolder === undefined) throw tablesInUseFailure(null);
    if (
      firstHolder !== null &&
      (presentHolder.holder !== firstHolder.holder || presentHolder.until !== firstHolder.until)
    )
      throw tablesInUseFailure(presentHolder.name);
    firstHolder ??= presentHolder;
    await clock.sleep(Math.min(POLL_MS, (presentHolder.left_ms ?? 0) + 1), signal);
  }
}

async function runHolding(
  connection: Connection,
  feedRow: FeedRow,
  { token, leaseMs }: PostgresTableOptions,
  work: (open: OpenTable) => Promise<void>,
): Promise<void> {
  const writer = writerOver(connection, { token, leaseMs, sequence: feedRow.sequence });
  const loss = new AbortController();
  const renew = (): void => void writer.renew().catch((error: unknown) => loss.abort(error));
  const stopTicker = systemTicker(leaseMs / 3, renew);
  try {
    await work({
      position: positionIn(feedRow.position),
      count: feedRow.events,
      newestOperation: feedRow.newest_operation,
      loss: loss.signal,
      write: (batch, position) =>
        writer.write(batch, position).catch((error: unknown) => {
          throw tableFailure(error, true);
        }),
    });
  } finally {
    stopTicker();
  }
}

type FeedState = FeedRecord & { readonly encoding: string };

const ALREADY_EXISTS = ['42P07', '42P06', '23505'];

async function requireFeed(connection: Connection, options: PostgresTableOptions): Promise<void> {
  const { createCommand } = options;
  const storedRecord = await readFeed(connection);
  if (storedRecord === null && createCommand !== null) throw missingTablesFailure(createCommand);
  const record = storedRecord ?? (await createTables(connection, options));
  if (record.encoding !== 'UTF8')
    throw unusableFailure(`keeps text as ${record.encoding}, which cannot hold every event. It must be UTF8`);
  requireSameFeed(record, options);
}

async function readFeed(connection: Connection): Promise<FeedState | null> {
  try {
    return (await connection.runOnce<FeedState>(READ_FEED)).rows[0] ?? null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function createTables(
  connection: Connection,
  { at, environment, origin }: PostgresTableOptions,
): Promise<FeedState> {
  const refusal: unknown = await connection.script(creatingSql(at.schema)).then(
    () => null,
    (error: unknown) => error,
  );
  if (refusal !== null && !ALREADY_EXISTS.some((state) => hasSqlState(refusal, state)))
    throw refusal as Error;
  await connection.runOnce(BEGIN_FEED, [environment, origin]).catch((error: unknown) => {
    throw (refusal !== null && isMissing(error) ? refusal : error) as Error;
  });
  const record = await readFeed(connection);
  if (record === null) throw unusableFailure('does not have the tables that svc just made');
  return record;
}

type SequenceRow = Pick<FeedRow, 'sequence'>;

export function writerOver(
  connection: Connection,
  { token, leaseMs, sequence: firstSequence }: SequenceRow & Pick<PostgresTableOptions, 'token' | 'leaseMs'>,
) {
  let sequence = firstSequence;
  let isWriting = false;
  const arrays = new TextArrays();
  const insert = async (values: readonly unknown[]): Promise<QueryResult<SequenceRow>> => {
    try {
      return await connection.runOnce<SequenceRow>(WRITE_NEW_ROWS, values);
    } catch (error) {
      if (!hasSqlState(error, UNIQUE_VIOLATION)) throw error;
      return connection.runOnce<SequenceRow>(WRITE_ROWS, values);
    }
  };
  const lossError = async (): Promise<Error> => {
    const [presentHolder] = (await connection.runOnce<{ holder: string | null }>(READ_HOLDER)).rows;
    return presentHolder?.holder === token ? positionChangedFailure() : leaseLostFailure();
  };
  return {
    write: async (batch: EventBatch, position: Position): Promise<void> => {
      isWriting = true;
      const { lastNumber, newestOperation } = batch;
      const values = [token, sequence, JSON.stringify(position), lastNumber, newestOperation, leaseMs];
      const [movedRow] = (await insert([...values, ...columnsOf(batch, arrays)])).rows;
      if (movedRow === undefined) throw await lossError();
      ({ sequence } = movedRow);
      isWriting = false;
    },
    renew: async (): Promise<void> => {
      const sequenceBefore = sequence;
      const answer = await connection.runOnce<SequenceRow>(RENEW_LEASE, [token, leaseMs]).catch(() => null);
      if (answer === null) return;
      const [renewedRow] = answer.rows;
      if (renewedRow === undefined) throw leaseLostFailure();
      if (!isWriting && sequenceBefore === sequence && renewedRow.sequence !== sequence)
        throw positionChangedFailure();
    },
  };
}

function columnsOf({ events, operations }: EventBatch, arrays: TextArrays): Buffer[] {
  arrays.clear();
  return [
    ...EVENT_NAMES.map((name) => arrays.array(events.map((row) => cellOf(row[name])))),
    ...OPERATION_NAMES.map((name) => arrays.array(operations.map((row) => cellOf(row[name])))),
  ];
}

function cellOf(value: string | number | Uint8Array | null): string | null {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex');
}

const TEXT_TYPE = 25;
const HEADER_BYTES = 20;
const UTF16_UNIT_BYTES_MAX = 3;

/** Text arrays in PostgreSQL's binary format, which needs no escapes. */
export class TextArrays {
  #bytes = Buffer.allocUnsafe(0);
  #end = 0;

  clear(): void {
    this.#end = 0;
  }

  array(values: readonly (string | null)[]): Buffer {
    const bytesMax = values.reduce(
      (sum, value) => sum + 4 + UTF16_UNIT_BYTES_MAX * (value?.length ?? 0),
      HEADER_BYTES,
    );
    if (this.#bytes.length - this.#end < bytesMax) {
      this.#bytes = Buffer.allocUnsafe(Math.max(bytesMax, 2 * this.#bytes.length));
      this.#end = 0;
    }
    const [bytes, start] = [this.#bytes, this.#end];
    // The header of an array: dimensions, flag for nulls, element type, length, first index.
    const header = [1, 1, TEXT_TYPE, values.length, 1];
    header.forEach((number, at) => bytes.writeInt32BE(number, start + 4 * at));
    let at = start + HEADER_BYTES;
    for (const value of values) {
      const length = value === null ? -1 : bytes.write(value, at + 4);
      bytes.writeInt32BE(length, at);
      at += 4 + Math.max(0, length);
    }
    this.#end = at;
    return bytes.subarray(start, at);
  }
}

const REFUSAL_TEXTS: Readonly<Record<string, string>> = {
  ...ACCESS_REFUSALS,
  '42501':
    'does not give this user the rights it needs: SELECT, INSERT and UPDATE on svc_events, svc_operations and svc_feed, and CREATE for --create',
  '42P07': 'has a table with that name that svc did not make: name another schema with ?schema=NAME',
  '53100': 'cannot grow: its disk is full. What was written before is kept',
};

function isMissing(error: unknown): boolean {
  const [undefinedTable, undefinedSchema] = ['42P01', '3F000'];
  return hasSqlState(error, undefinedTable) || hasSqlState(error, undefinedSchema);
}

const AWAY_CODES = /^(57014|53\w{3}|55P03|25P03|58030)$/;

export function tableFailure(error: unknown, hasLoggedIn: boolean): Error {
  if (error instanceof TableAway) return error;
  if (error instanceof Failure)
    return error.facts.code === 'commit_not_replicated' ? awayError(error) : error;
  const refused = refusedText(error, REFUSAL_TEXTS, 'SVC_INTO_PASSWORD or SVC_INTO_PASSWORD_FILE');
  if (AWAY_CODES.test(String((error as { code?: unknown } | null)?.code))) return awayError(error, refused);
  return isLost(error) || isConflict(error) || isRotated(error, hasLoggedIn)
    ? awayError(error)
    : unusableFailure(refused, error);
}

function awayError(error: unknown, what = `cannot be reached: ${messageOf(error)}`): TableAway {
  const text = `The database of --into ${what}. svc reads again what it has not written yet.`;
  return new TableAway(
    new Failure('local_state', text, { code: 'into_unreachable', retryable: true, cause: error }),
  );
}

function positionChangedFailure(): TableAway {
  const text =
    'The tables of --into are not as this run left them: another server took over, or somebody restored them.';
  return new TableAway(new Failure('local_state', text, { code: 'into_unreachable', retryable: true }));
}

function unusableFailure(what: string, cause?: unknown): Failure {
  return new Failure('local_state', `The database of --into ${what}. Nothing more was written.`, {
    code: 'into_unusable',
    cause,
  });
}
