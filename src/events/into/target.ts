/** Where events are to be written, as `--into` says it: a database of PostgreSQL or a file of SQLite, read into parts and judged. Pure. */
import type { Environ } from '../../runtime/ports.js';
import { Failure } from '../../runtime/failure.js';
import { isToBeEncrypted, passwordTyped, stateUrl, unescaped } from '../../state/address.js';
import type { Login, StatePlace } from '../../state/place.js';

export type IntoTarget =
  | { readonly kind: 'postgres'; readonly place: StatePlace }
  | { readonly kind: 'sqlite'; readonly file: string };

/** Where the parts come from that are not said with the address. */
export interface IntoParts {
  readonly env: Readonly<Environ>;
  /** Reads a secret from a file that somebody provides. @throws Failure where it can't */
  readonly secret: (path: string, name: string) => string;
  /** The certificates that `--ca-file` names, or null. */
  readonly ca: () => string | null;
  /** Told of whatever must not be printed. */
  readonly hide: (secrets: readonly string[]) => void;
}

const DEFAULT_PORT = 5432;
const NAME = '--into';
/** Where tables are that nobody gave a schema. */
const DEFAULT_SCHEMA = 'public';

/** @throws Failure `usage`, `unsafe` (`state_not_encrypted`), `local_state` for a password that can't be read */
export function readInto(text: string, parts: IntoParts): IntoTarget {
  const [, file] = /^sqlite:(.*)$/s.exec(text) ?? [];
  if (file !== undefined) return { kind: 'sqlite', file: requireFile(file) };
  if (/^postgres(ql)?:/i.test(text)) return { kind: 'postgres', place: placeIn(text, parts) };
  throw new Failure(
    'usage',
    `${NAME} must be postgres://USER@HOST/DATABASE or sqlite:FILE. Nothing was sent.`,
  );
}

function requireFile(file: string): string {
  const isPlain = file !== '' && !file.startsWith(':') && !file.startsWith('//') && !/\p{Cc}/u.test(file);
  if (isPlain) return file;
  throw new Failure(
    'usage',
    `${NAME} sqlite:FILE needs the path of a file, for example sqlite:events.db. Nothing was sent.`,
  );
}

function placeIn(text: string, parts: IntoParts): StatePlace {
  const url = stateUrl(text, NAME);
  if (url.password !== '') {
    parts.hide([url.password, unescaped(url.password, NAME)]);
    throw passwordTyped(NAME, 'SVC_INTO_PASSWORD');
  }
  const user = unescaped(url.username, NAME);
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    ...{ user, password: givenPassword(parts), database: unescaped(url.pathname.slice(1), NAME) },
    schema: url.searchParams.get('schema') ?? DEFAULT_SCHEMA,
    tls: isToBeEncrypted(url, NAME) ? { ca: parts.ca() } : null,
    // Another one may be in the file by then.
    login: (): Login => ({ user, password: givenPassword(parts) }),
  };
}

function givenPassword({ env, secret, hide }: IntoParts): string {
  const path = env['SVC_INTO_PASSWORD_FILE'];
  const text =
    env['SVC_INTO_PASSWORD'] ?? (path === undefined ? null : secret(path, 'SVC_INTO_PASSWORD_FILE'));
  // A script failed to fetch it: without a password somebody else might be let in.
  if (text === '') throw new Failure('usage', `The password of ${NAME} is set but empty. Nothing was sent.`);
  if (text !== null) hide([text]);
  return text ?? '';
}
