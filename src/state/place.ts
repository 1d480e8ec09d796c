/** Where the state is that machines share: what a flag, a variable or a profile says, read into parts and judged. */
import type { Environment } from '../contract/access.js';
import type { Environ } from '../runtime/ports.js';
import { isToBeEncrypted, passwordTyped, stateUrl, unescaped } from './address.js';
import { type StateSource, wrongPlace } from './source.js';

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
  /** Asked at every connection: what is in a file may be another one by then. Without it, user and password above. */
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
  /** Told of whatever must not be printed, before anything else is done with it. */
  readonly hide: (secrets: readonly string[]) => void;
}

const DEFAULT_PORT = 5432;

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
  const given = own === null ? givenPassword(parts) : null;
  const stored = kind === 'profile' && own === null && given === null ? parts.stored : null;
  const user = unescaped(url.username, name);
  const schema = url.searchParams.get('schema') ?? 'svc';
  const login = (): Login => {
    const now = kind === 'path' ? stateUrl(parts.secret(source.text, name), name) : url;
    const mine = now.password === '' ? null : unescaped(now.password, name);
    parts.hide([mine ?? '', now.password]);
    return { user: unescaped(now.username, name), password: mine ?? stored ?? givenPassword(parts) ?? '' };
  };
  return {
    place: {
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? DEFAULT_PORT : Number(url.port),
      ...{ user, password: own ?? given ?? '', database: unescaped(url.pathname.slice(1), name), schema },
      tls: isToBeEncrypted(url, name) ? { ca: parts.ca() } : null,
      login,
    },
    shown: `postgres://${url.username}@${url.host}/${url.pathname.slice(1)}${schema === 'svc' ? '' : `?schema=${encodeURIComponent(schema)}`}`,
    name,
  };
}

function givenPassword({ env, secret, hide }: StateParts): string | null {
  const path = env['SVC_STATE_PASSWORD_FILE'];
  const text =
    env['SVC_STATE_PASSWORD'] ?? (path === undefined ? null : secret(path, 'SVC_STATE_PASSWORD_FILE'));
  // A script failed to fetch it: without a password somebody else might be let in.
  if (text === '') throw wrongPlace('The password of the shared state', 'is set but empty');
  if (text !== null) hide([text]);
  return text;
}
