/** The client of PostgreSQL, told everything, so that it looks for nothing elsewhere: where it goes, who comes, what a column holds. */
import pg from 'pg';
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
function clientOf({ user, password, login }: StatePlace): new (config: pg.ClientConfig) => pg.Client {
  const current = login ?? ((): Login => ({ user, password }));
  return class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      const { user: name, password: secret } = current();
      // As a function, it has no place in what is thrown or printed, and an empty one is not looked for elsewhere.
      super({ ...config, user: name, password: typeof secret === 'string' ? () => secret : secret });
    }
  };
}

type ParserOf = (type: number) => (text: string) => unknown;

/** What a column holds, as the library makes it of text; there is no other format. */
const getTypeParser: ParserOf = (type) =>
  type === INT8 ? Number : (pg.types.getTypeParser as ParserOf)(type);
