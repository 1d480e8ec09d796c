/** The tables of a feed in PostgreSQL: one run holds them for as long as it is heard of. No session keeps anything: any pooler may stand between. */
import { type Clock, systemTicker } from '../../../runtime/clock.js';
import { connect, type Connection } from '../../../state/connection.js';
import type { StatePlace } from '../../../state/place.js';
import {
  type EventTable,
  type OpenTable,
  positionIn,
  TableAway,
  tablesInUse,
  type FeedRecord,
  type IntoPlace,
  requireOurs,
  tablesMissing,
} from '../table.js';
import { told, isNothingThere, unusable } from './failures.js';
import { HOLD, HOLDER, LEAVE, BEGIN_FEED, creatingSql, LOOK } from './statements.js';
import { writerOver } from './writing.js';
import { isState } from '../../../state/failures.js';

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
    throw told(error, wasLetIn);
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
          throw told(error, true);
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
