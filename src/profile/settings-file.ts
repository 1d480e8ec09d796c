/** The settings file: read where only the user could have changed it, replaced as a whole by conf. */
import { join } from 'node:path';
import { diskFailure, shellPath } from '../runtime/disk.js';
import { Failure } from '../runtime/failure.js';
import { readPrivate } from '../runtime/files.js';
import { ensurePrivateFolder, syncFolder } from '../runtime/folders.js';
import type { Paths } from '../runtime/paths.js';
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
      `The settings in ${path} are damaged. Nothing was sent. Repair them, or begin anew: rm ${shellPath(path)}`,
    );
  }
  return settings;
}

/**
 * Replaces the settings, durably, with mode 0600. The caller holds the lock (`profile-change.ts`).
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
