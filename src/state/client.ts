/** The client of PostgreSQL, told everything, so that it looks for nothing elsewhere: where it goes, who comes, what a column holds. */
import pg from 'pg';
import { ServerUnproved } from './failures.js';
import type { Login, StatePlace } from './place.js';

const CONNECT_MS = 5000;
/** An integer of 64 bits: everything that is one here is exact as a number, but sums, which come as text. */
const INT8 = 20;

/** @param statementMs for how long an answer is waited for, unless a statement says another */
export function poolOf(place: StatePlace, statementMs: number): pg.Pool {
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

/** Who comes is asked at each connection: a password that was rotated is another one by then. */
function clientOf({ user, password, tls, login }: StatePlace): new (config: pg.ClientConfig) => pg.Client {
  const current = login ?? ((): Login => ({ user, password }));
  return class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      const { user: name, password: secret } = current();
      // As a function, it has no place in what is thrown or printed, and an empty one is not looked for elsewhere.
      super({ ...config, user: name, password: typeof secret === 'string' ? () => secret : secret });
      if (tls === null) requireProof(this.connection as Conversation, secret !== '');
    }
  };
}

/** What the library has of a connection and its types do not name. */
interface Conversation extends pg.Connection {
  /** Sends what cleartext and MD5 ask for; SCRAM has ways of its own. */
  password: () => void;
}

/**
 * Without encryption nobody has proved who answers at that port, and any user of this machine can take one that is free: a password is for
 * SCRAM alone, which does not give it away and proves the server too. At any moment of the conversation: an attempt by SCRAM may be followed by
 * a question for the rest.
 */
function requireProof(connection: Conversation, hasPassword: boolean): void {
  let isProved = false;
  const refuse = (what: string): void => void connection.emit('error', new ServerUnproved(what));
  connection.password = () => refuse('it asks for the password in clear text or as MD5');
  // Whatever went wrong, nothing more is heard.
  connection.on('error', () => connection.stream.destroy());
  // Of what proves nothing, the library makes an error before it hears that it is let in.
  connection.on('authenticationSASLFinal', () => (isProved = true));
  connection.on('authenticationOk', () => {
    if (hasPassword && !isProved) refuse('it lets everybody in, although a password is set');
  });
}

type ParserOf = (type: number) => (text: string) => unknown;

/** What a column holds, as the library makes it of text; there is no other format. */
const getTypeParser: ParserOf = (type) =>
  type === INT8 ? Number : (pg.types.getTypeParser as ParserOf)(type);
