/** One change of the profiles at a time: read, work, replace, under a lock. */
import { join } from 'node:path';
import type { Clock } from '../runtime/clock.js';
import { withLock } from '../runtime/lock.js';
import type { Paths } from '../runtime/paths.js';
import { requireProfile } from './profile-input.js';
import { viewOf, type ProfileView } from './profile-view.js';
import type { SecretStores } from './secret-store.js';
import { readSettings, writeSettings } from './settings-file.js';
import type { Settings } from './settings.js';

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
export interface Changed {
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
