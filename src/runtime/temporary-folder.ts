import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { errorCode, onDisk } from './folders.js';
import type { Random } from './clock.js';
import { runAfterExit } from './child.js';

const REMOVAL_SCRIPT = 'for pause in 0 1 1 1 1; do sleep $pause; rm -rf -- "$1" && break; done';
const RETRIES = { maxRetries: 5, retryDelay: 20 };
const FOLDER_MODE = 0o700;

export type TemporaryFolder = ReturnType<typeof makeTemporaryFolder>;

export function makeTemporaryFolder(prefix: string, random: Pick<Random, 'hex'>) {
  const path = join(resolve(tmpdir()), `${prefix}${random.hex(8)}`);
  // The watcher starts before the folder exists, because a process must always be there to remove the
  // folder.
  const dismiss = runAfterExit(REMOVAL_SCRIPT, path);
  try {
    onDisk('written', path, () => mkdirSync(path, { mode: FOLDER_MODE }));
  } catch (error) {
    dismiss();
    throw error;
  }
  return {
    path,
    makeInside: (name: string): string => {
      const innerPath = join(path, name);
      onDisk('written', innerPath, () => mkdirSync(innerPath, { mode: FOLDER_MODE }));
      return innerPath;
    },
    remove: (): void => {
      try {
        rmSync(path, { recursive: true, force: true, ...RETRIES });
        dismiss();
      } catch (error) {
        if (errorCode(error) === null) throw error;
      }
    },
  };
}
