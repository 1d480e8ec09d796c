import * as fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode, onDisk, syncFolder } from './folders.js';
import { Failure } from './failure.js';
import { openNoLink, readFirstBytes } from './small-file.js';
import { systemRandom } from './clock.js';

const WHOLE_FILE_MODE = 0o600;
const CHUNK_CHARACTERS = 256 * 1024;

export function beginWholeFile(typedPath: string, beginning: string) {
  const path = resolve(typedPath);
  const temporaryPath = join(dirname(path), `.svc-${systemRandom.hex(8)}.tmp`);
  const file = onDisk('written', typedPath, () => fs.openSync(temporaryPath, 'wx', WHOLE_FILE_MODE));
  let isOpen = true;
  let pendingText = '';
  const close = (): void => {
    if (isOpen) fs.closeSync(file);
    isOpen = false;
  };
  const flush = (): void => {
    fs.writeFileSync(file, pendingText);
    pendingText = '';
  };
  return {
    write: (text: string): void => {
      pendingText += text;
      if (pendingText.length >= CHUNK_CHARACTERS) onDisk('written', typedPath, flush);
    },
    flushToTemporary: (): string => {
      onDisk('written', typedPath, flush);
      return temporaryPath;
    },
    finish: (): void => {
      onDisk('written', typedPath, () => {
        flush();
        fs.fchmodSync(file, WHOLE_FILE_MODE);
        fs.fsyncSync(file);
        close();
      });
      requireReplaceable(typedPath, beginning);
      onDisk('written', typedPath, () => {
        fs.renameSync(temporaryPath, path);
        syncFolder(dirname(path));
      });
    },
    abandon: (): void => {
      close();
      fs.rmSync(temporaryPath, { force: true });
    },
  };
}

export function writeWholeFile(path: string, beginning: string, text: string): void {
  const file = beginWholeFile(path, beginning);
  try {
    file.write(text);
    file.finish();
  } finally {
    file.abandon();
  }
}

export function requireReplaceable(typedPath: string, beginning: string): void {
  const path = resolve(typedPath);
  onDisk('written', typedPath, () => fs.accessSync(dirname(path), fs.constants.W_OK | fs.constants.X_OK));
  const stats = onDisk('read', typedPath, () => fs.lstatSync(path, { throwIfNoEntry: false }));
  if (basename(path) === '' || stats?.isDirectory() === true) throw fileInTheWay(typedPath, 'is a folder');
  if (stats === undefined) return;
  if (stats.isSymbolicLink()) throw fileInTheWay(typedPath, 'is a link, and svc does not follow links');
  if (!stats.isFile()) throw fileInTheWay(typedPath, 'is not a regular file');
  if (stats.size > 0 && beginningOf(path, typedPath, beginning.length) !== beginning)
    throw fileInTheWay(typedPath, 'already exists, and svc did not write it');
}

function beginningOf(path: string, typedPath: string, length: number): string | null {
  return onDisk('read', typedPath, () => {
    try {
      const file = openNoLink(path);
      try {
        return readFirstBytes(file, length).toString('latin1');
      } finally {
        fs.closeSync(file);
      }
    } catch (error) {
      if (errorCode(error) === 'EACCES') return null;
      throw error;
    }
  });
}

function fileInTheWay(path: string, what: string): Failure {
  return new Failure('unsafe', `${path} ${what}. Nothing was written. Name another file.`, {
    code: 'file_in_the_way',
  });
}
