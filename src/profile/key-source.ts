/** The key a command uses: fetched from where the choices say, and refused where it does not fit the environment. */
import { type Environment, KEY_PREFIX } from '../contract/access.js';
import { Failure } from '../runtime/failure.js';
import type { Choices, KeyOrigin, Sourced, TargetInput } from './choices.js';
import { isApiKey, readKeyText, type ApiKey } from './key-text.js';
import type { KeySlot } from './keys.js';
import type { StoredKey } from './settings.js';

/** Provided by somebody else: an orchestrator's secret is often a link, and readable by all. svc's own files are stricter. */
export interface KeyFile {
  readonly text: string;
  /** True for a file that group or others may read. */
  readonly isShared: boolean;
}

/** How a key is fetched once everything else is known to be safe. */
export interface KeyReaders {
  /** A key file, or null where there is none. @throws Failure `local_state` where it cannot be read */
  readonly file: (path: string) => KeyFile | null;
  /** The key of a profile from where it is stored, or null where it is gone. @throws Failure `local_state` */
  readonly stored: (slot: KeySlot, stored: StoredKey) => Promise<string | null>;
}

/** Why there is no key at all, and what to type. */
export function noKey({ profile, environment, baseUrl }: Choices, { settings }: TargetInput): Failure {
  if (profile !== null) {
    const { name } = profile.value;
    const from = environment.source === 'default' ? '' : ` (${environment.name})`;
    const other = environment.value === 'sandbox' ? 'live' : 'sandbox';
    const nextCommand = `svc profiles set-key ${name}`;
    const isNone = profile.value.profile.keys[other] === undefined;
    const has = isNone ? '' : `, only a ${other} key`;
    const head = `Profile ${name} has no ${environment.value} key${from}${has}. Nothing was sent.`;
    // Which of the two was meant is for a person to say: real money is one of them.
    return isNone
      ? new Failure('no_access', head, { nextCommand })
      : new Failure(
          'no_access',
          `${head} To use that key, add --${other}. Or store the other one: ${nextCommand}`,
        );
  }
  const profiles = Object.keys(settings.profiles);
  if (baseUrl === null && profiles.length > 0) {
    return new Failure(
      'no_access',
      'No profile is active, and no key is set. Nothing was sent. Choose a profile: svc profiles use NAME',
      {
        nextCommand: 'svc profiles list',
      },
    );
  }
  const because =
    baseUrl === null
      ? `${environment.name} asks for the live environment`
      : `${baseUrl.name} gives an address`;
  return new Failure(
    'no_access',
    `${because}, but there is no key. Nothing was sent. Set SVC_API_KEY, or use a profile.`,
  );
}

/** A key, and what should be said about where it came from; null for nothing. */
export interface ReadKey {
  readonly key: ApiKey;
  readonly note: string | null;
}

/**
 * The key the choices name, checked against their environment.
 * @throws Failure `no_access`, `unsafe` or `local_state`
 */
export async function readKey(
  origin: Sourced<KeyOrigin>,
  choices: Choices,
  pinnedTo: string,
  readers: KeyReaders,
): Promise<ReadKey> {
  const { text, isShared } = await fetchKey(origin, choices, pinnedTo, readers);
  const note = `Other users of this machine may read the key file that ${origin.name} names.`;
  return { key: checkKey(text, origin, choices.environment), note: isShared ? note : null };
}

async function fetchKey(
  { name, value }: Sourced<KeyOrigin>,
  { environment }: Choices,
  pinnedTo: string,
  readers: KeyReaders,
): Promise<KeyFile> {
  if (value.kind === 'text') return { text: value.text, isShared: false };
  if (value.kind === 'path') {
    const file = value.path === '' ? { text: '', isShared: false } : readers.file(value.path);
    if (file !== null) return file;
    throw new Failure('no_access', `${name} names a file that does not exist. Nothing was sent.`);
  }
  const text = await readers.stored(
    { profile: value.profile, environment: environment.value, origin: pinnedTo },
    value.stored,
  );
  if (text !== null) return { text, isShared: false };
  throw new Failure(
    'no_access',
    `The ${environment.value} key of ${name} is no longer in its store. Nothing was sent. Store it again: svc profiles set-key ${value.profile}`,
    { nextCommand: `svc profiles set-key ${value.profile}` },
  );
}

function checkKey(text: string, origin: Sourced<KeyOrigin>, environment: Sourced<Environment>): ApiKey {
  const key = readKeyText(text);
  if (!isApiKey(key)) {
    throw new Failure(
      key.problem === 'prefix' ? 'unsafe' : 'no_access',
      `${origin.name} ${key.reason}. Nothing was sent.`,
    );
  }
  if (key.environment === environment.value) return key;
  const remedy = key.environment === 'live' ? ' To use real money, add --live.' : '';
  throw refused(
    `${origin.name} contains a ${key.environment} key (${KEY_PREFIX[key.environment]}), but the environment is ${environment.value} (${environment.name}).${remedy}`,
  );
}

/** A refusal for safety. */
export function refused(what: string): Failure {
  return new Failure('unsafe', `${what} Nothing was sent.`);
}
