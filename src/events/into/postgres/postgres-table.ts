/** The tables of a feed in PostgreSQL: one run holds them for as long as it is heard of. No session keeps anything: any pooler may stand between. */
import { type Clock, systemTicker } from '../../../runtime/clock.js';
import { connect, type Connection } from '../../../state/connection.js';
import type { StatePlace } from '../../../state/place.js';
import { type EventTable, type OpenTable, positionIn, TableAway, tablesInUse } from '../table.js';
import { told } from './failures.js';
import { type MakingOptions, requireFeed } from './making.js';
import { HOLD, HOLDER, LEAVE } from './statements.js';
import { writerOver } from './writing.js';

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
