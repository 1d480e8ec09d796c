/** Where the state is that machines share: what `SVC_STATE` and its companions say, read into parts and judged. */
import { Failure } from '../runtime/failure.js';
import type { Environ } from '../runtime/ports.js';

/** Where the database is, in parts: a URL would be read a second time by the library, with other rules and further sources. */
export interface StatePlace {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly schema: string;
  /** Null on this machine, where nobody can listen. */
  readonly tls: { readonly ca: string | null } | null;
}

export interface SharedState {
  readonly place: StatePlace;
  /** The same for people: without the password. */
  readonly shown: string;
  /** Whatever must not be printed. */
  readonly secrets: readonly string[];
}

/** Reads a secret from a file that only its user can read. @throws Failure where it can't */
type ReadSecret = (path: string, name: string) => string;

const DEFAULT_PORT = 5432;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const ENCRYPTED: readonly string[] = ['require', 'verify-ca', 'verify-full'];

/** Null where nothing is shared. @throws Failure `usage`, `unsafe` (`state_not_encrypted`), `local_state` */
export function readState(env: Readonly<Environ>, readSecret: ReadSecret): SharedState | null {
  const [text, name] = writtenIn(env, readSecret);
  if (text === null || text === 'local') return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol))
    throw wrong(name, 'is no postgres:// address');
  const database = plain(url.pathname.slice(1), name);
  const user = plain(url.username, name);
  if (url.hostname === '' || user === '' || database === '')
    throw wrong(name, 'does not say all of it: postgres://USER@HOST/DATABASE');
  const unknown = [...url.searchParams.keys()].find((key) => key !== 'schema' && key !== 'sslmode');
  if (unknown !== undefined) throw wrong(name, 'has a parameter other than schema and sslmode');
  const schema = url.searchParams.get('schema') ?? 'svc';
  const password = url.password === '' ? passwordIn(env, readSecret) : plain(url.password, name);
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const shown = `postgres://${url.username}@${url.host}/${url.pathname.slice(1)}${schema === 'svc' ? '' : `?schema=${encodeURIComponent(schema)}`}`;
  return {
    place: { host, port, user, password, database, schema, tls: tlsOf(url, name) },
    shown,
    secrets: password === '' ? [] : [password, encodeURIComponent(password), url.password],
  };
}

/** What must not be printed even where nothing of it is used. */
export function secretsOfState(env: Readonly<Environ>): string[] {
  const text = env['SVC_STATE'] ?? '';
  const [, encoded = ''] = /^[a-z]+:\/\/[^:@/]*:([^@/]*)@/i.exec(text) ?? [];
  return [env['SVC_STATE_PASSWORD'] ?? '', encoded, decoded(encoded)];
}

function writtenIn(env: Readonly<Environ>, readSecret: ReadSecret): [text: string | null, name: string] {
  for (const name of ['SVC_STATE', 'SVC_STATE_FILE'] as const) {
    const value = env[name];
    if (value === undefined) continue;
    // A script failed to fetch it: files instead would be two states.
    if (value === '') throw wrong(name, 'is set, and empty');
    return [name === 'SVC_STATE' ? value : readSecret(value, name), name];
  }
  return [null, ''];
}

function passwordIn(env: Readonly<Environ>, readSecret: ReadSecret): string {
  const path = env['SVC_STATE_PASSWORD_FILE'];
  return env['SVC_STATE_PASSWORD'] ?? (path === undefined ? '' : readSecret(path, 'SVC_STATE_PASSWORD_FILE'));
}

function tlsOf(url: URL, name: string): StatePlace['tls'] {
  const mode = url.searchParams.get('sslmode');
  const isEncrypted = mode === null || ENCRYPTED.includes(mode);
  if (LOOPBACK.test(url.hostname)) return mode === null || !isEncrypted ? null : { ca: null };
  if (isEncrypted) return { ca: null };
  throw new Failure(
    'unsafe',
    `${name} asks for a connection that others can read. Nothing was sent. Leave sslmode away.`,
    {
      code: 'state_not_encrypted',
    },
  );
}

function plain(text: string, name: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong(name, 'is no postgres:// address: a % in it is %25');
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** It is not repeated: it may hold a password. */
function wrong(name: string, what: string): Failure {
  return new Failure('usage', `${name} ${what}. Nothing was sent.`);
}
