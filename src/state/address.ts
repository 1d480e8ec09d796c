/** The address of the shared state as a URL, and what is refused of it. Pure. */
import { Failure } from '../runtime/failure.js';
import { wrongPlace } from './source.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const ENCRYPTED: readonly string[] = ['require', 'verify-ca', 'verify-full'];

/** @throws Failure `usage` for what is no whole address */
export function stateUrl(text: string, name: string): URL {
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
export function isToBeEncrypted({ searchParams, hostname }: URL, name: string): boolean {
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

export function unescaped(text: string, name: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrongPlace(name, 'is not a postgres:// address: write % as %25');
  }
}

/** @param variable that is for the password; `_FILE` behind it names a file that holds it */
export function passwordTyped(name: string, variable = 'SVC_STATE_PASSWORD'): Failure {
  const isState = variable === 'SVC_STATE_PASSWORD';
  return new Failure(
    'usage',
    `${name} contains a password, and every user of this machine can read an argument list. Nothing was sent. Remove it and set ` +
      `${variable} or ${variable}_FILE${isState ? ', or keep it with "svc profiles set-state"' : ''}. If you typed it into a shell, change the password.`,
  );
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
