/** A private folder that is gone with its process, however that ends. */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { errorCode, onDisk } from './folders.js';
import type { Random } from './clock.js';
import { leaveToSurvivor } from './child.js';

/** A process that is being killed may still write for a moment. */
const REMOVAL = 'for pause in 0 1 1 1 1; do sleep $pause; rm -rf -- "$1" && break; done';
const RETRIES = { maxRetries: 5, retryDelay: 20 };
const FOLDER_MODE = 0o700;

export interface TemporaryFolder {
  readonly path: string;
  /** Makes a folder in it, for nobody else too. @throws Failure `local_state` */
  makeInside(name: string): string;
  /** With its content. A process that still writes there is waited for, but not for long. */
  remove(): void;
}

/**
 * Makes one in the system's temporary folder.
 * @param prefix how its name begins
 * @throws Failure `local_state` where it can't be made
 */
export function makeTemporaryFolder(prefix: string, random: Pick<Random, 'hex'>): TemporaryFolder {
  const path = join(resolve(tmpdir()), `${prefix}${random.hex(8)}`);
  // Before it is there: at no moment is it nobody's.
  const dismiss = leaveToSurvivor(REMOVAL, path);
  try {
    onDisk('written', path, () => mkdirSync(path, { mode: FOLDER_MODE }));
  } catch (error) {
    dismiss();
    throw error;
  }
  return {
    path,
    makeInside: (name) => {
      const inside = join(path, name);
      onDisk('written', inside, () => mkdirSync(inside, { mode: FOLDER_MODE }));
      return inside;
    },
    remove: () => {
      try {
        rmSync(path, { recursive: true, force: true, ...RETRIES });
        dismiss();
      } catch (error) {
        // The survivor goes on trying once this process has ended.
        if (errorCode(error) === null) throw error;
      }
    },
  };
}
