/** The way to the database: statements that are each a commit of their own, given again where that does no harm. */
import type pg from 'pg';
import type { Environment } from '../contract/access.js';
import { svcLine } from '../runtime/shell.js';
import type { Clock } from '../runtime/clock.js';
import { poolOf } from './client.js';
import { movingSchemaLine, type StatePlace } from './place.js';
import { requireReading } from './versions.js';
import { commitNotReplicated, isInTheWay, isLost, isRotated, refusedBy, unreachable } from './failures.js';
import { inSchema } from './sql.js';

export type Fields = Readonly<Record<string, unknown>>;

export interface Answered<Record = Fields> {
  readonly rows: readonly Record[];
  readonly count: number;
}

export interface ConnectionOptions {
  readonly place: StatePlace;
  readonly clock: Clock;
  /** How long a database that is gone is waited for. */
  readonly patienceMs: number;
  /** Told while it is waited for. */
  readonly say: (text: string) => void;
  /** How long an answer is waited for; ten seconds unless given. */
  readonly statementMs?: number;
}

export interface Connection {
  /** Whose tables these have to be; null where that is not asked. */
  readonly environment: Environment | null;
  /** A command of ours as it is to be typed for the same place. */
  next(command: string): string;
  /** The line that moves tables of that version away. */
  moving(version: number): string;
  /** Once; whoever asks knows what an answer that is lost means. */
  once<Record = Fields>(text: string, values?: readonly unknown[]): Promise<Answered<Record>>;
  /** Several statements in one transaction, as they are: tables with the name of their schema. */
  script(text: string): Promise<void>;
  /** For what may be done twice. @throws Failure `local_state` */
  run<Record = Fields>(text: string, values?: readonly unknown[]): Promise<Answered<Record>>;
  /** Attempts until one succeeds, as long as there is patience. @throws Failure `local_state` */
  patiently<T>(attempt: (last: unknown) => Promise<T>): Promise<T>;
  /** Whether somebody stands between who gave another number for the connection than the server that answers. */
  isPooled(): Promise<boolean>;
  /** From now on whatever would write is refused. */
  onlyRead(): void;
  close(): Promise<void>;
}

const STATEMENT_MS = 10_000;
/** Tables that are large are not changed in a moment. */
const SCRIPT_MS = 600_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;

export function connect(options: ConnectionOptions): Connection {
  const { place, clock, patienceMs, say, statementMs = STATEMENT_MS } = options;
  const { schema, environment = null, flags = [] } = place;
  const pool = poolOf(place, statementMs);
  // An idle connection that ends is no news: the next statement opens another one.
  pool.on('error', () => undefined);
  const named = namedIn(schema);
  const next = (command: string): string => svcLine(command, flags);
  let wasLetIn = false;

  const query = async <Record>(
    what: pg.QueryConfig & { query_timeout?: number },
    values: readonly unknown[],
  ): Promise<Answered<Record>> => {
    const client = await pool.connect();
    wasLetIn = true;
    const notices: (string | undefined)[] = [];
    const onNotice = ({ routine }: { routine?: string | undefined }): void => void notices.push(routine);
    // While it is out, an error of the connection reaches the statement.
    const onError = (): void => undefined;
    client.on('notice', onNotice).on('error', onError);
    let isBroken = true;
    try {
      const { rows, rowCount } = await client.query(what, [...values]);
      isBroken = false;
      // Its words are the language of the server; where it comes from is not.
      if (notices.includes('SyncRepWaitForLSN')) throw commitNotReplicated();
      return { rows: rows as Record[], count: rowCount ?? 0 };
    } catch (error) {
      // A statement that took too long goes on in its connection: it is closed, never cancelled.
      isBroken = isLost(error);
      throw error;
    } finally {
      client.off('notice', onNotice).off('error', onError);
      client.release(isBroken);
    }
  };

  let mayWrite = true;
  const once = async <Record>(text: string, values: readonly unknown[] = []): Promise<Answered<Record>> => {
    if (!mayWrite) requireReading(text);
    return query({ text: named(text) }, values);
  };

  const patiently = async <T>(attempt: (last: unknown) => Promise<T>): Promise<T> => {
    const untilMs = clock.monotonic() + patienceMs;
    let last: unknown = null;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(LONGEST_WAIT_MS, 2 * waitMs)) {
      try {
        return await attempt(last);
      } catch (error) {
        const wasRotated = isRotated(error, wasLetIn);
        if (!isLost(error) && !isInTheWay(error) && !wasRotated) throw refusedBy(error, next);
        if (clock.monotonic() >= untilMs) throw wasRotated ? refusedBy(error, next) : unreachable(error);
        if (last === null && !isInTheWay(error)) say(unreachable(error).head);
        last = error;
        await clock.sleep(waitMs);
      }
    }
  };

  return {
    ...{ environment, next, moving: (version: number) => movingSchemaLine(place, version) },
    once,
    script: async (text) => {
      await query({ text, query_timeout: SCRIPT_MS }, []);
    },
    patiently,
    run: (text, values) => patiently(() => once(text, values)),
    isPooled: async () => {
      const client = await pool.connect();
      try {
        const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        return rows[0]?.pid !== (client as unknown as { processID: number }).processID;
      } finally {
        client.release();
      }
    },
    onlyRead: () => {
      mayWrite = false;
    },
    close: () => pool.end(),
  };
}

/** A pooler keeps no search path: every table is named with its schema. */
function namedIn(schema: string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const there = known.get(text) ?? inSchema(text, schema);
    known.set(text, there);
    return there;
  };
}
