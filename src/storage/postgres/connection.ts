import pg from 'pg';
import type { Environment } from '../../contract/access.js';
import { svcLine } from '../../runtime/shell.js';
import type { Clock } from '../../runtime/clock.js';
import { movingSchemaLine, type StatePlace, type Login } from './place.js';
import {
  notReplicatedFailure,
  isConflict,
  isLost,
  isRotated,
  databaseFailure,
  messageOf,
  schemaNewerFailure,
  unreachableFailure,
  ServerUnproved,
} from './failures.js';
import { inSchema } from './sql.js';

export type Fields = Readonly<Record<string, unknown>>;

export interface QueryResult<Record = Fields> {
  readonly rows: readonly Record[];
  readonly count: number;
}

export interface ConnectionOptions {
  readonly place: StatePlace;
  readonly clock: Clock;
  readonly patienceMs: number;
  readonly say: (text: string) => void;
  readonly statementMs?: number;
}

export interface Connection {
  readonly environment: Environment | null;
  moveCommand(version: number): string;
  runOnce<Record = Fields>(text: string, values?: readonly unknown[]): Promise<QueryResult<Record>>;
  script(text: string): Promise<void>;
  /** Repeats the statement after a lost answer, so the statement must be safe to run twice. */
  run<Record = Fields>(text: string, values?: readonly unknown[]): Promise<QueryResult<Record>>;
  runPatiently<T>(attempt: (lastError: unknown) => Promise<T>): Promise<T>;
  isPooled(): Promise<boolean>;
  refuseWrites(): void;
  close(): Promise<void>;
}

const STATEMENT_MS = 10_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;

export function connect(options: ConnectionOptions): Connection {
  const { place, clock, patienceMs, say, statementMs = STATEMENT_MS } = options;
  const { schema, environment = null, flags = [] } = place;
  const pool = poolOf(place, statementMs);
  pool.on('error', () => undefined);
  const withSchema = schemaNamer(schema);
  const commandForPlace = (command: string): string => svcLine(command, flags);
  let hadAccess = false;

  const query = async <Record>(text: string, values: readonly unknown[]): Promise<QueryResult<Record>> => {
    const client = await pool.connect();
    hadAccess = true;
    const notices: (string | undefined)[] = [];
    const onNotice = ({ routine }: { routine?: string | undefined }): void => void notices.push(routine);
    client.on('notice', onNotice);
    let isBroken = true;
    try {
      const { rows, rowCount } = await client.query(text, [...values]);
      isBroken = false;
      // The routine's name is compared, because the text of a notice is in the server's language.
      if (notices.includes('SyncRepWaitForLSN')) throw notReplicatedFailure();
      return { rows: rows as Record[], count: rowCount ?? 0 };
    } catch (error) {
      isBroken = isLost(error);
      throw error;
    } finally {
      client.off('notice', onNotice);
      client.release(isBroken);
    }
  };

  let mayWrite = true;
  const runOnce = async <Record>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<QueryResult<Record>> => {
    if (!mayWrite && WRITE_STATEMENT.test(text.replaceAll(/'[^']*'/g, ''))) throw schemaNewerFailure();
    return query(withSchema(text), values);
  };

  const runPatiently = async <T>(attempt: (lastError: unknown) => Promise<T>): Promise<T> => {
    const untilMs = clock.monotonic() + patienceMs;
    let lastError: unknown = null;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(LONGEST_WAIT_MS, 2 * waitMs)) {
      try {
        return await attempt(lastError);
      } catch (error) {
        const wasRotated = isRotated(error, hadAccess);
        if (!isLost(error) && !isConflict(error) && !wasRotated)
          throw databaseFailure(error, commandForPlace);
        if (clock.monotonic() >= untilMs)
          throw wasRotated ? databaseFailure(error, commandForPlace) : unreachableFailure(error);
        if (lastError === null && !isConflict(error)) say(unreachableFailure(error).head);
        lastError = error;
        await clock.sleep(waitMs);
      }
    }
  };

  return {
    environment,
    moveCommand: (version: number) => movingSchemaLine(place, version),
    runOnce,
    script: async (text) => {
      await query(text, []);
    },
    runPatiently,
    run: (text, values) => runPatiently(() => runOnce(text, values)),
    isPooled: async () => {
      const client = await pool.connect();
      try {
        const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        return rows[0]?.pid !== (client as unknown as { processID: number }).processID;
      } finally {
        client.release();
      }
    },
    refuseWrites: () => {
      mayWrite = false;
    },
    close: () => pool.end(),
  };
}

const WRITE_STATEMENT = /\b(INSERT INTO|UPDATE|DELETE FROM)\b/;

/** Names each table with its schema, because a pooler does not keep the search path. */
function schemaNamer(schema: string): (text: string) => string {
  const namedTexts = new Map<string, string>();
  return (text) => {
    const sql = namedTexts.get(text) ?? inSchema(text, schema);
    namedTexts.set(text, sql);
    return sql;
  };
}

const CONNECT_MS = 5000;
const INT8_TYPE = 20;

/** Sets every option, because the client library would otherwise read variables and files of its own. */
function poolOf(place: StatePlace, statementMs: number): pg.Pool {
  const { host, port, database, tls } = place;
  return new pg.Pool({
    ...{ host, port, database, sslnegotiation: 'postgres' },
    Client: clientClassOf(place) as unknown as new () => pg.Client,
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

function clientClassOf({
  user,
  password,
  tls,
  login,
}: StatePlace): new (config: pg.ClientConfig) => pg.Client {
  const presentLogin = login ?? ((): Login => ({ user, password }));
  return class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      const { user: name, password: secret } = presentLogin();
      // The password is in a function, because the library then neither prints it nor looks for another
      // one.
      super({ ...config, user: name, password: typeof secret === 'string' ? () => secret : secret });
      // Without a listener, an error of the connection would end the program.
      this.on('error', () => undefined);
      catchThrows(this.connection as RawConnection);
      if (tls === null) requireProof(this.connection as RawConnection, secret !== '');
    }
  };
}

interface Listenable {
  on(name: string, listen: (chunk: unknown) => void): unknown;
}

interface RawConnection extends pg.Connection {
  attachListeners: (stream: Listenable) => void;
  password: () => void;
}

/** Emits an error where the library throws inside a stream event, because such a throw would end the program. */
function catchThrows(connection: RawConnection): void {
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream) => {
    const on: Listenable['on'] = (name, listen) =>
      stream.on(name, (chunk) => {
        try {
          listen(chunk);
        } catch (error) {
          connection.emit('error', new ServerUnproved(`svc does not understand it: ${messageOf(error)}`));
          connection.stream.destroy();
        }
      });
    attach({ on });
  };
}

/** A password is used only with SCRAM, because without encryption any user of this machine can pose as the server. */
function requireProof(connection: RawConnection, hasPassword: boolean): void {
  let isProved = false;
  const refuse = (what: string): void => void connection.emit('error', new ServerUnproved(what));
  connection.password = () => refuse('it asks for the password in clear text or as MD5');
  connection.on('error', () => connection.stream.destroy());
  // The library emits this event only after it has checked the server's proof.
  connection.on('authenticationSASLFinal', () => (isProved = true));
  connection.on('authenticationOk', () => {
    if (hasPassword && !isProved) refuse('it lets everybody in, although a password is set');
  });
}

type ParserOf = (type: number) => (text: string) => unknown;

const getTypeParser: ParserOf = (type) =>
  type === INT8_TYPE ? Number : (pg.types.getTypeParser as ParserOf)(type);
