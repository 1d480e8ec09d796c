/** The settings file: read where only the user could have changed it, replaced as a whole by conf, and changed by one process at a time. */
import { join } from 'node:path';
import type { Clock } from '../runtime/clock.js';
import { diskFailure, shellPath } from '../runtime/disk.js';
import { Failure } from '../runtime/failure.js';
import { readPrivate } from '../runtime/files.js';
import { ensurePrivateFolder, type Paths, syncFolder } from '../runtime/folders.js';
import { withLock } from '../runtime/lock.js';
import { requireProfile, viewOf, type ProfileView } from './profile-view.js';
import type { SecretStores } from './secret-store.js';
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
