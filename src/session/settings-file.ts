import { join } from 'node:path';
import { jsonIn } from '../contract/json.js';
import { isObject } from '../contract/shape.js';
import type { Clock } from '../runtime/clock.js';
import { diskFailure, shellPath, ensurePrivateFolder, type Paths, syncFolder } from '../runtime/folders.js';
import { Failure } from '../runtime/failure.js';
import { readPrivate, writePrivate, withLock } from '../runtime/files.js';
import { requireProfile, viewOf, type ProfileView } from './profile-view.js';
import { NO_SETTINGS, parseSettings, type Settings } from './settings.js';

const SETTINGS_FILE = 'config';

export function settingsPath(paths: Paths): string {
  return join(paths.config, `${SETTINGS_FILE}.json`);
}

export function readSettings(paths: Paths): Settings {
  const path = settingsPath(paths);
  const bytes = readPrivate(path);
  if (bytes === null) return NO_SETTINGS;
  const settings = parseSettings(bytes);
  if (settings === null) {
    const text = `The settings in ${path} are damaged. Nothing was sent. Repair the file, or start again without it: rm ${shellPath(path)}`;
    throw new Failure('local_state', text);
  }
  return settings;
}

export async function writeSettings(paths: Paths, settings: Settings): Promise<void> {
  const path = settingsPath(paths);
  ensurePrivateFolder(paths.config);
  const { default: Conf } = await import('conf');
  try {
    const conf = new Conf<Record<string, unknown>>({
      cwd: paths.config,
      configName: SETTINGS_FILE,
      configFileMode: 0o600,
    });
    conf.store = { ...settings };
    syncFolder(paths.config);
  } catch (error) {
    throw diskFailure('written', path, error);
  }
}

const LOCK_WAIT_MS = 5000;

export interface ProfileStores {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly secrets: SecretStores;
}

export interface ProfileChange {
  readonly profile: ProfileView;
  readonly note: string | null;
}

type SettingsChange = Pick<ProfileChange, 'note'> & { readonly settings: Settings };

export async function changeSettings(
  stores: ProfileStores,
  name: string,
  work: (settings: Settings) => SettingsChange | Promise<SettingsChange>,
): Promise<ProfileChange> {
  return withProfileLock(stores, async () => {
    const { settings, note } = await work(readSettings(stores.paths));
    await writeSettings(stores.paths, settings);
    return { profile: viewOf(settings, name, requireProfile(settings, name)), note };
  });
}

export function withProfileLock<T>({ paths, clock }: ProfileStores, work: () => Promise<T>): Promise<T> {
  return withLock(join(paths.config, 'profiles.lock'), { clock, waitMs: LOCK_WAIT_MS }, work);
}

export interface SecretStore {
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  delete(account: string): Promise<void>;
}

export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

export async function storeProblem(work: Promise<void>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof StoreUnavailable) return error.message;
    throw error;
  }
}

export async function requireStore<T>(work: Promise<T>, consequence: string, code?: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    const text = `svc cannot use the system's key store: ${error.message}. ${consequence}`;
    throw new Failure('local_state', text, { code });
  }
}

export interface SecretStores {
  readonly keystore: SecretStore;
  readonly file: SecretStore;
}

type Secrets = Readonly<Record<string, string>>;

export function secretFilePath(paths: Paths): string {
  return join(paths.config, 'keys.json');
}

export function fileStore(paths: Paths, clock: Clock): SecretStore {
  const path = secretFilePath(paths);
  const changeSecrets = (work: (secrets: Secrets) => Secrets): Promise<void> =>
    withLock(join(paths.config, 'keys.lock'), { clock, waitMs: LOCK_WAIT_MS }, () => {
      writePrivate(path, `${JSON.stringify({ secrets: work(readSecrets(path)) }, null, 1)}\n`);
    });
  return {
    get: async (account) => Promise.resolve(secretOf(readSecrets(path), account)),
    set: (account, secret) => changeSecrets((secrets) => ({ ...secrets, [account]: secret })),
    delete: async (account) => {
      if (secretOf(readSecrets(path), account) === null) return;
      await changeSecrets((secrets) =>
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
  const secrets = parseSecrets(bytes.toString('utf8'));
  if (secrets !== null) return secrets;
  throw new Failure(
    'local_state',
    `The keys in ${path} are damaged. Nothing was sent. Delete the file and store the keys again: rm ${shellPath(path)}`,
  );
}

/** `jsonIn` drops the error of `JSON.parse`, because it would repeat a piece of the file. */
function parseSecrets(text: string): Secrets | null {
  const file = jsonIn(text);
  const secrets = isObject(file) ? file['secrets'] : null;
  if (!isObject(secrets)) return null;
  return Object.values(secrets).every((secret) => typeof secret === 'string') ? (secrets as Secrets) : null;
}
