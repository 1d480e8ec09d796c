/** The connection to the database. Each statement is its own commit, and is repeated where that is safe. */
import pg from 'pg';
import type { Environment } from '../contract/access.js';
import { svcLine } from '../runtime/shell.js';
import type { Clock } from '../runtime/clock.js';
import { movingSchemaLine, type StatePlace, type Login } from './place.js';
import {
  commitNotReplicated,
  isInTheWay,
  isLost,
  isRotated,
  refusedBy,
  saidBy,
  schemaNewer,
  unreachable,
  ServerUnproved,
} from './failures.js';
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
  readonly say: (text: string) => void;
  /** How long an answer is waited for; ten seconds unless given. */
  readonly statementMs?: number;
}

export interface Connection {
  /** Whose tables these have to be; null where that is not asked. */
  readonly environment: Environment | null;
  /** The line that moves tables of that version away. */
  moving(version: number): string;
  /** Once; the caller knows what a lost answer means. */
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

  const query = async <Record>(text: string, values: readonly unknown[]): Promise<Answered<Record>> => {
    const client = await pool.connect();
    wasLetIn = true;
    const notices: (string | undefined)[] = [];
    const onNotice = ({ routine }: { routine?: string | undefined }): void => void notices.push(routine);
    // While it is out, an error of the connection reaches the statement.
    const onError = (): void => undefined;
    client.on('notice', onNotice).on('error', onError);
    let isBroken = true;
    try {
      const { rows, rowCount } = await client.query(text, [...values]);
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
    return query(named(text), values);
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
    ...{ environment, moving: (version: number) => movingSchemaLine(place, version) },
    once,
    script: async (text) => {
      await query(text, []);
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

/** A statement that changes something, whatever else it does. */
const WRITES = /\b(INSERT INTO|UPDATE|DELETE FROM)\b/;

/** @throws Failure `local_state` (`store_newer`) for a statement that would write what a newer program has changed */
function requireReading(text: string): void {
  // A word in quotes is none of the statement's own.
  if (WRITES.test(text.replaceAll(/'[^']*'/g, ''))) throw schemaNewer();
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

const CONNECT_MS = 5000;
/** An integer of 64 bits: everything that is one here is exact as a number, but sums, which come as text. */
const INT8 = 20;

/**
 * Says everything to the client of PostgreSQL, so that it looks for nothing elsewhere.
 * @param statementMs for how long an answer is waited for
 */
function poolOf(place: StatePlace, statementMs: number): pg.Pool {
  const { host, port, database, tls } = place;
  return new pg.Pool({
    ...{ host, port, database, sslnegotiation: 'postgres' },
    Client: clientOf(place) as unknown as new () => pg.Client,
    ssl: tls === null ? false : { rejectUnauthorized: true, ...(tls.ca === null ? {} : { ca: tls.ca }) },
    max: 2,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: statementMs,
    keepAlive: true,
    application_name: 'svc',
    client_encoding: 'UTF8',
    types: { getTypeParser },
  });
}

/** User and password are read at each connection: the password may have been rotated. */
function clientOf({ user, password, tls, login }: StatePlace): new (config: pg.ClientConfig) => pg.Client {
  const current = login ?? ((): Login => ({ user, password }));
  return class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      const { user: name, password: secret } = current();
      // As a function, it has no place in what is thrown or printed, and an empty one is not looked for elsewhere.
      super({ ...config, user: name, password: typeof secret === 'string' ? () => secret : secret });
      hearAll(this.connection as Conversation);
      if (tls === null) requireProof(this.connection as Conversation, secret !== '');
    }
  };
}

interface Heard {
  on(name: string, listen: (chunk: unknown) => void): unknown;
}

/** What the library has of a connection and its types do not name. */
interface Conversation extends pg.Connection {
  attachListeners: (stream: Heard) => void;
  /** Sends what cleartext and MD5 ask for; SCRAM has ways of its own. */
  password: () => void;
}

/** A question that the library does not know, such as GSSAPI's, it throws at the stream, where nobody hears it. */
function hearAll(connection: Conversation): void {
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream) => {
    const on: Heard['on'] = (name, listen) =>
      stream.on(name, (chunk) => {
        try {
          listen(chunk);
        } catch (error) {
          connection.emit('error', new ServerUnproved(`svc does not understand it: ${saidBy(error)}`));
          connection.stream.destroy();
        }
      });
    attach({ on });
  };
}

/**
 * Without encryption nothing proves the server at that port, and any user of this machine can listen on a free one. So a password is used only
 * with SCRAM, which does not reveal it and proves the server too. This holds during the whole conversation: after SCRAM the server may still ask
 * for the password itself.
 */
function requireProof(connection: Conversation, hasPassword: boolean): void {
  let isProved = false;
  const refuse = (what: string): void => void connection.emit('error', new ServerUnproved(what));
  connection.password = () => refuse('it asks for the password in clear text or as MD5');
  // Whatever went wrong, nothing more is heard.
  connection.on('error', () => connection.stream.destroy());
  // Without a proof the library fails here, before it hears that it is let in.
  connection.on('authenticationSASLFinal', () => (isProved = true));
  connection.on('authenticationOk', () => {
    if (hasPassword && !isProved) refuse('it lets everybody in, although a password is set');
  });
}

type ParserOf = (type: number) => (text: string) => unknown;

/** What a column holds, as the library makes it of text; there is no other format. */
const getTypeParser: ParserOf = (type) =>
  type === INT8 ? Number : (pg.types.getTypeParser as ParserOf)(type);
