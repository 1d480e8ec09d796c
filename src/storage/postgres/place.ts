import type { Environment } from '../../contract/access.js';
import type { Environ } from '../../runtime/ports.js';
import { Failure } from '../../runtime/failure.js';
import { typedPasswordFailure, type StateSource, settingFailure } from './source.js';
import { NAME_MAX_BYTES, quotedName } from './sql.js';
import { commandLine } from '../../runtime/shell.js';

export interface Login {
  readonly user: string;
  readonly password: string | (() => Promise<string>);
}

/** The address is kept in parts, because the library pg reads a URL by rules of its own. */
export interface StatePlace {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly schema: string;
  /** Null means no encryption, which is allowed only on this machine. */
  readonly tls: { readonly ca: string | null } | null;
  readonly login?: () => Login;
  readonly environment?: Environment;
  readonly flags?: readonly string[];
}

export interface SharedState {
  readonly place: StatePlace;
  readonly address: string;
  readonly name: string;
}

export interface StateParts {
  readonly env: Readonly<Environ>;
  readonly readSecret: (path: string, name: string) => string;
  readonly storedPassword: (() => Promise<string>) | null;
  readonly ca: () => string | null;
  readonly hide: (secrets: readonly string[]) => void;
}

export function readPlace(source: StateSource, parts: StateParts): SharedState | null {
  const { kind, name } = source;
  const text = kind === 'path' ? parts.readSecret(source.text, name) : source.text;
  if (text === 'local') return null;
  const url = stateUrl(text, name);
  const urlPassword = url.password === '' ? null : decodePart(url.password, name);
  if (urlPassword !== null) parts.hide([urlPassword, url.password]);
  if (urlPassword !== null && kind === 'flag') throw typedPasswordFailure(name);
  if (urlPassword !== null && kind === 'profile')
    throw settingFailure(name, 'contains a password: keep it with "svc profiles set-state"');
  const envPassword = urlPassword === null ? passwordFromEnv(STATE_PASSWORD, parts) : null;
  const storedPassword =
    kind === 'profile' && urlPassword === null && envPassword === null ? parts.storedPassword : null;
  const login = (): Login => {
    const urlNow = kind === 'path' ? stateUrl(parts.readSecret(source.text, name), name) : url;
    const ownPassword = urlNow.password === '' ? null : decodePart(urlNow.password, name);
    parts.hide([ownPassword ?? '', urlNow.password]);
    const password = ownPassword ?? storedPassword ?? passwordFromEnv(STATE_PASSWORD, parts) ?? '';
    return { user: decodePart(urlNow.username, name), password };
  };
  const place = placeOfUrl(url, name, 'svc', parts);
  const { schema } = place;
  return {
    place: { ...place, password: urlPassword ?? envPassword ?? '', login },
    address: `postgres://${url.username}@${url.host}/${url.pathname.slice(1)}${schema === 'svc' ? '' : `?schema=${encodeURIComponent(schema)}`}`,
    name,
  };
}

type PasswordVariable = Readonly<Record<'variable' | 'whose', string>>;

const STATE_PASSWORD: PasswordVariable = { variable: 'SVC_STATE_PASSWORD', whose: 'the shared state' };

export function readTypedPlace(
  text: string,
  name: string,
  schema: string,
  parts: Omit<StateParts, 'storedPassword'> & { readonly password: PasswordVariable },
): StatePlace {
  const url = stateUrl(text, name);
  if (url.password !== '') {
    parts.hide([url.password, decodePart(url.password, name)]);
    throw typedPasswordFailure(name, parts.password.variable);
  }
  const place = placeOfUrl(url, name, schema, parts);
  const envPassword = (): string => passwordFromEnv(parts.password, parts) ?? '';
  return { ...place, password: envPassword(), login: () => ({ user: place.user, password: envPassword() }) };
}

function placeOfUrl(
  url: URL,
  name: string,
  schema: string,
  { ca }: Pick<StateParts, 'ca'>,
): Omit<StatePlace, 'password'> {
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? 5432 : Number(url.port),
    user: decodePart(url.username, name),
    database: decodePart(url.pathname.slice(1), name),
    schema: url.searchParams.get('schema') ?? schema,
    tls: mustEncrypt(url, name) ? { ca: ca() } : null,
  };
}

function passwordFromEnv(
  { variable, whose }: PasswordVariable,
  { env, readSecret, hide }: Pick<StateParts, 'env' | 'readSecret' | 'hide'>,
): string | null {
  const path = env[`${variable}_FILE`];
  const text = env[variable] ?? (path === undefined ? null : readSecret(path, `${variable}_FILE`));
  if (text === '') throw settingFailure(`The password of ${whose}`, 'is set but empty');
  if (text !== null) hide([text]);
  return text;
}

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const ENCRYPTED_MODES: readonly string[] = ['require', 'verify-ca', 'verify-full'];

function stateUrl(text: string, name: string): URL {
  // The text is checked first, because `URL` drops tabs and newlines and reads a backslash as a slash.
  const isPlain = /^[^\s\\\p{Cc}]+$/u.test(text);
  const url = isPlain && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^postgres(ql)?:\/\//i.test(text))
    throw settingFailure(name, 'is not a postgres:// address');
  if (url.hostname.includes(',')) throw settingFailure(name, 'names several hosts: give one');
  const database = url.pathname.slice(1);
  const isMissing = [url.hostname, url.username, database].includes('');
  if (isMissing || database.includes('/') || url.hash !== '')
    throw settingFailure(name, 'is not complete: postgres://USER@HOST/DATABASE');
  const keys = [...url.searchParams.keys()];
  if (keys.some((key) => key !== 'schema' && key !== 'sslmode') || new Set(keys).size < keys.length)
    throw settingFailure(name, 'has a parameter other than schema and sslmode');
  if (url.searchParams.get('schema') === '') throw settingFailure(name, 'names an empty schema');
  return url;
}

function mustEncrypt({ searchParams, hostname }: URL, name: string): boolean {
  const mode = searchParams.get('sslmode');
  const isEncrypted = mode === null || ENCRYPTED_MODES.includes(mode);
  if (LOOPBACK_HOST.test(hostname)) return mode !== null && isEncrypted;
  if (isEncrypted) return true;
  const text = `${name} asks for a connection that others can read. Nothing was sent. Remove sslmode.`;
  throw new Failure('unsafe', text, { code: 'state_not_encrypted' });
}

function decodePart(text: string, name: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw settingFailure(name, 'is not a postgres:// address: write % as %25');
  }
}

export function profileAddress(text: string, name: string): string {
  if (text === '') throw settingFailure(name, 'is set but empty');
  if (text === 'local') return text;
  const url = stateUrl(text, name);
  if (url.password !== '') throw typedPasswordFailure(name);
  decodePart(url.username + url.pathname, name);
  mustEncrypt(url, name);
  return url.href;
}

export function movingSchemaLine(
  { host, port, database, schema }: Pick<StatePlace, 'host' | 'port' | 'database' | 'schema'>,
  version: number,
): string {
  const longerName = `${schema}_v${String(version)}`;
  const newName = Buffer.byteLength(longerName) > NAME_MAX_BYTES ? `svc_v${String(version)}` : longerName;
  const sql = `ALTER SCHEMA ${quotedName(schema)} RENAME TO ${quotedName(newName)}`;
  // psql may read a name with `=` or `/` as a connection string.
  const databaseWord = /[=/]/.test(database) ? `dbname='${database.replaceAll(/['\\]/g, '\\$&')}'` : database;
  return commandLine(['psql', '-h', host, '-p', String(port), '-d', databaseWord, '-c', sql]);
}
