/** The private files of a user: settings, and secrets by name for machines without a key store. Each is read where only the user could have changed it, replaced as a whole, and changed by one process at a time. */
import { join } from 'node:path';
import type { Clock } from '../runtime/clock.js';
import { diskFailure, shellPath, ensurePrivateFolder, type Paths, syncFolder } from '../runtime/folders.js';
import { Failure } from '../runtime/failure.js';
import { readPrivate, writePrivate, withLock } from '../runtime/files.js';
import { requireProfile, viewOf, type ProfileView } from './profile-view.js';
import { NO_SETTINGS, parseSettings, type Settings } from './settings.js';

const FILE = 'config';

/** Where the settings stand. */
export function settingsPath(paths: Paths): string {
  return join(paths.config, `${FILE}.json`);
}

/**
 * The settings; those of a fresh machine where there is no file.
 * @throws Failure `local_state` where others could have changed the file, or it is damaged
 */
export function readSettings(paths: Paths): Settings {
  const path = settingsPath(paths);
  const bytes = readPrivate(path);
  if (bytes === null) return NO_SETTINGS;
  const settings = parseSettings(bytes);
  if (settings === null) {
    throw new Failure(
      'local_state',
      `The settings in ${path} are damaged. Nothing was sent. Repair the file, or start again without it: rm ${shellPath(path)}`,
    );
  }
  return settings;
}

/**
 * Replaces the settings, durably, with mode 0600. The caller holds the lock (`locked`).
 * conf is loaded here only: nothing but a change of profiles pays for it.
 * @throws Failure `local_state`
 */
export async function writeSettings(paths: Paths, settings: Settings): Promise<void> {
  const path = settingsPath(paths);
  ensurePrivateFolder(paths.config);
  const { default: Conf } = await import('conf');
  try {
    const conf = new Conf<Record<string, unknown>>({
      cwd: paths.config,
      configName: FILE,
      configFileMode: 0o600,
    });
    conf.store = { ...settings };
    syncFolder(paths.config);
  } catch (error) {
    throw diskFailure('written', path, error);
  }
}

const LOCK_WAIT_MS = 5000;

/** Where profiles and keys are kept. */
export interface ProfileStores {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly secrets: SecretStores;
}

export interface ProfileChange {
  readonly profile: ProfileView;
  /** Where the key is, if that needs saying; for standard error. */
  readonly note: string | null;
}

/** New settings, and what to say about them. */
interface Changed {
  readonly settings: Settings;
  readonly note: string | null;
}

/** Replaces the settings by what the work makes of them; two at once take turns. @throws Failure `local_state`, `locked`, or the work's */
export async function change(
  stores: ProfileStores,
  name: string,
  work: (settings: Settings) => Changed | Promise<Changed>,
): Promise<ProfileChange> {
  return locked(stores, async () => {
    const { settings, note } = await work(readSettings(stores.paths));
    await writeSettings(stores.paths, settings);
    return { profile: viewOf(settings, name, requireProfile(settings, name)), note };
  });
}

/** Runs a change of profiles alone. @throws Failure `locked`, or the work's */
export function locked<T>({ paths, clock }: ProfileStores, work: () => Promise<T>): Promise<T> {
  return withLock(join(paths.config, 'profiles.lock'), { clock, waitMs: LOCK_WAIT_MS }, work);
}

export interface SecretStore {
  /** The secret, or null where there is none by that name. */
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  /** Deleting what is not there is no error. */
  delete(account: string): Promise<void>;
}

/** Thrown by a store that is not there, is locked, or did not answer in time. The message never holds a secret. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** Why the key store could not do it, or null where it did. */
export async function reasonUndone(work: Promise<void>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof StoreUnavailable) return error.message;
    throw error;
  }
}

/** @param unmet what did not happen then, and what helps @throws Failure `local_state` where the key store can't be asked */
export async function requireStore<T>(work: Promise<T>, unmet: string, code?: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    const text = `svc cannot use the system's key store: ${error.message}. ${unmet}`;
    throw new Failure('local_state', text, { code });
  }
}

/** The two places, and which comes first: the key store wherever there is one. */
export interface SecretStores {
  readonly keystore: SecretStore;
  readonly file: SecretStore;
}

type Secrets = Readonly<Record<string, string>>;

/** Where the file stands. */
export function secretFilePath(paths: Paths): string {
  return join(paths.config, 'keys.json');
}

/**
 * The private file as a store; writers take turns.
 * @throws Failure `local_state` from every call where others can read the file, or it is damaged; `locked` where a writer never ends
 */
export function fileStore(paths: Paths, clock: Clock): SecretStore {
  const path = secretFilePath(paths);
  const change = (work: (secrets: Secrets) => Secrets): Promise<void> =>
    withLock(join(paths.config, 'keys.lock'), { clock, waitMs: LOCK_WAIT_MS }, () => {
      writePrivate(path, `${JSON.stringify({ secrets: work(readSecrets(path)) }, null, 1)}\n`);
    });
  return {
    get: async (account) => Promise.resolve(secretOf(readSecrets(path), account)),
    set: (account, secret) => change((secrets) => ({ ...secrets, [account]: secret })),
    delete: async (account) => {
      if (secretOf(readSecrets(path), account) === null) return;
      await change((secrets) =>
        Object.fromEntries(Object.entries(secrets).filter(([name]) => name !== account)),
      );
    },
  };
}

function secretOf(secrets: Secrets, account: string): string | null {
  return Object.hasOwn(secrets, account) ? (secrets[account] ?? null) : null;
}

function readSecrets(path: string): Secrets {
  const bytes = readPrivate(path);
  if (bytes === null) return {};
  const secrets = parse(bytes.toString('utf8'));
  if (secrets !== null) return secrets;
  throw new Failure(
    'local_state',
    `The keys in ${path} are damaged. Nothing was sent. Delete the file and store the keys again: rm ${shellPath(path)}`,
  );
}

/** The parser's own message would repeat a piece of the file, and with it a piece of a key. */
function parse(text: string): Secrets | null {
  try {
    const { secrets } = JSON.parse(text) as { secrets: unknown };
    if (typeof secrets !== 'object' || secrets === null) return null;
    return Object.values(secrets).every((secret) => typeof secret === 'string') ? (secrets as Secrets) : null;
  } catch {
    return null;
  }
}
