/** The address of the shared state, from a flag, a variable or a profile: parsed and checked. */
import type { Environment } from '../contract/access.js';
import type { Environ } from '../runtime/ports.js';
import { Failure } from '../runtime/failure.js';
import { passwordTyped, type StateSource, wrongPlace } from './source.js';
import { quotedName } from './sql.js';
import { commandLine } from '../runtime/shell.js';

/** Who comes to the database. */
export interface Login {
  readonly user: string;
  readonly password: string | (() => Promise<string>);
}

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
  /** Asked at every connection, because a file may hold a new password. Without it, user and password above. */
  readonly login?: () => Login;
  /** Whose state this command line works on; its tables have to be of that environment. */
  readonly environment?: Environment;
  /** The flags of this command line that say where it goes, as words: what is to be typed next repeats them. */
  readonly flags?: readonly string[];
}

export interface SharedState {
  readonly place: StatePlace;
  /** The same for people: without the password. */
  readonly shown: string;
  /** What says so: `--state-url`, `SVC_STATE`, `profile acme`. */
  readonly name: string;
}

/** Where the parts come from that are not said with the address. */
export interface StateParts {
  readonly env: Readonly<Environ>;
  /** Reads a secret from a file that somebody provides. @throws Failure where it can't */
  readonly secret: (path: string, name: string) => string;
  /** The password that a profile keeps; null where it keeps none. */
  readonly stored: (() => Promise<string>) | null;
  /** The certificates that `--ca-file` names, or null. */
  readonly ca: () => string | null;
  /** Called with each secret that must not be printed, before anything else is done with it. */
  readonly hide: (secrets: readonly string[]) => void;
}

/** Null where it says that this machine keeps its own. @throws Failure `usage`, `unsafe` (`state_not_encrypted`), `local_state` */
export function readPlace(source: StateSource, parts: StateParts): SharedState | null {
  const { kind, name } = source;
  const text = kind === 'path' ? parts.secret(source.text, name) : source.text;
  if (text === 'local') return null;
  const url = stateUrl(text, name);
  const own = url.password === '' ? null : unescaped(url.password, name);
  if (own !== null) parts.hide([own, url.password]);
  if (own !== null && kind === 'flag') throw passwordTyped(name);
  if (own !== null && kind === 'profile')
    throw wrongPlace(name, 'contains a password: keep it with "svc profiles set-state"');
  const given = own === null ? givenPassword(STATE_PASSWORD, parts) : null;
  const stored = kind === 'profile' && own === null && given === null ? parts.stored : null;
  const login = (): Login => {
    const now = kind === 'path' ? stateUrl(parts.secret(source.text, name), name) : url;
    const mine = now.password === '' ? null : unescaped(now.password, name);
    parts.hide([mine ?? '', now.password]);
    const password = mine ?? stored ?? givenPassword(STATE_PASSWORD, parts) ?? '';
    return { user: unescaped(now.username, name), password };
  };
  const place = placeAt(url, name, 'svc', parts);
  const { schema } = place;
  return {
    place: { ...place, password: own ?? given ?? '', login },
    shown: `postgres://${url.username}@${url.host}/${url.pathname.slice(1)}${schema === 'svc' ? '' : `?schema=${encodeURIComponent(schema)}`}`,
    name,
  };
}

/** The password of a database that is not in its address: in a variable, or in a file that a variable names. */
type PasswordVariable = Readonly<Record<'variable' | 'whose', string>>;

const STATE_PASSWORD: PasswordVariable = { variable: 'SVC_STATE_PASSWORD', whose: 'the shared state' };

/**
 * An address that somebody types, and whose password may not stand in it.
 * @param schema where tables are that nobody gave a schema
 * @throws Failure `usage`, `unsafe` (`state_not_encrypted`), `local_state` for a password that can't be read
 */
export function typedPlace(
  text: string,
  name: string,
  schema: string,
  parts: Omit<StateParts, 'stored'> & { readonly password: PasswordVariable },
): StatePlace {
  const url = stateUrl(text, name);
  if (url.password !== '') {
    parts.hide([url.password, unescaped(url.password, name)]);
    throw passwordTyped(name, parts.password.variable);
  }
  const place = placeAt(url, name, schema, parts);
  const given = (): string => givenPassword(parts.password, parts) ?? '';
  // The file may hold another one later.
  return { ...place, password: given(), login: () => ({ user: place.user, password: given() }) };
}

function placeAt(
  url: URL,
  name: string,
  schema: string,
  { ca }: Pick<StateParts, 'ca'>,
): Omit<StatePlace, 'password'> {
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? 5432 : Number(url.port),
    ...{ user: unescaped(url.username, name), database: unescaped(url.pathname.slice(1), name) },
    schema: url.searchParams.get('schema') ?? schema,
    tls: isToBeEncrypted(url, name) ? { ca: ca() } : null,
  };
}

function givenPassword(
  { variable, whose }: PasswordVariable,
  { env, secret, hide }: Pick<StateParts, 'env' | 'secret' | 'hide'>,
): string | null {
  const path = env[`${variable}_FILE`];
  const text = env[variable] ?? (path === undefined ? null : secret(path, `${variable}_FILE`));
  // A script failed to fetch it: without a password the wrong server might let us in.
  if (text === '') throw wrongPlace(`The password of ${whose}`, 'is set but empty');
  if (text !== null) hide([text]);
  return text;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const ENCRYPTED: readonly string[] = ['require', 'verify-ca', 'verify-full'];

/** @throws Failure `usage` for what is no whole address */
function stateUrl(text: string, name: string): URL {
  // The parser drops tabs and newlines, and takes a backslash for itself.
  const isPlain = /^[^\s\\\p{Cc}]+$/u.test(text);
  const url = isPlain && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^postgres(ql)?:\/\//i.test(text))
    throw wrongPlace(name, 'is not a postgres:// address');
  if (url.hostname.includes(',')) throw wrongPlace(name, 'names several hosts: give one');
  const database = url.pathname.slice(1);
  if (
    url.hostname === '' ||
    url.username === '' ||
    database === '' ||
    database.includes('/') ||
    url.hash !== ''
  )
    throw wrongPlace(name, 'is not complete: postgres://USER@HOST/DATABASE');
  const keys = [...url.searchParams.keys()];
  if (keys.some((key) => key !== 'schema' && key !== 'sslmode') || new Set(keys).size < keys.length)
    throw wrongPlace(name, 'has a parameter other than schema and sslmode');
  if (url.searchParams.get('schema') === '') throw wrongPlace(name, 'names an empty schema');
  return url;
}

/** With a certificate that is checked, wherever others could listen. @throws Failure `unsafe` (`state_not_encrypted`) */
function isToBeEncrypted({ searchParams, hostname }: URL, name: string): boolean {
  const mode = searchParams.get('sslmode');
  const isEncrypted = mode === null || ENCRYPTED.includes(mode);
  if (LOOPBACK.test(hostname)) return mode !== null && isEncrypted;
  if (isEncrypted) return true;
  throw new Failure(
    'unsafe',
    `${name} asks for a connection that others can read. Nothing was sent. Remove sslmode.`,
    { code: 'state_not_encrypted' },
  );
}

function unescaped(text: string, name: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrongPlace(name, 'is not a postgres:// address: write % as %25');
  }
}

/** The address as a profile keeps it; `local` for files. @throws Failure `usage`, `unsafe` */
export function keptAddress(text: string, name: string): string {
  if (text === '') throw wrongPlace(name, 'is set but empty');
  if (text === 'local') return text;
  const url = stateUrl(text, name);
  if (url.password !== '') throw passwordTyped(name);
  unescaped(url.username + url.pathname, name);
  isToBeEncrypted(url, name);
  return url.href;
}

/** The longest name of PostgreSQL, in bytes; it cuts longer ones. */
const NAME_BYTES = 63;

/** The line that moves the tables of the shared state out of the way, to be typed by their owner. It does nothing when a schema of the new name exists. @param version of the tables */
export function movingSchemaLine(
  { host, port, database, schema }: Pick<StatePlace, 'host' | 'port' | 'database' | 'schema'>,
  version: number,
): string {
  const longer = `${schema}_v${String(version)}`;
  const moved = Buffer.byteLength(longer) > NAME_BYTES ? `svc_v${String(version)}` : longer;
  const sql = `ALTER SCHEMA ${quotedName(schema)} RENAME TO ${quotedName(moved)}`;
  // psql takes a name with one of these for a whole address.
  const word = /[=/]/.test(database) ? `dbname='${database.replaceAll(/['\\]/g, '\\$&')}'` : database;
  return commandLine(['psql', '-h', host, '-p', String(port), '-d', word, '-c', sql]);
}
