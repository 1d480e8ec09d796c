/** Files that hold keys or state: written whole and durable with mode 0600, read only where nobody else could have changed them. */
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  currentUser,
  errorCode,
  onDisk,
  refusal,
  shellPath,
  ensurePrivateFolder,
  syncFolder,
} from './folders.js';
import type { Failure } from './failure.js';
import { systemRandom } from './random.js';

const FILE_MODE = 0o600;
const SHARED = 0o077;
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;

/**
 * The bytes of a private file, or null where there is none.
 * It must be a regular file (no link), owned by the user, with no permission for group or others.
 * The checks are made on the opened file, so that it can't be exchanged between check and read.
 * @param userId whose file it must be
 * @throws Failure `local_state` saying what to type
 */
export function readPrivate(path: string, userId = currentUser()): Buffer | null {
  return onDisk('read', path, () => {
    const file = openIfThere(path);
    if (file === null) return null;
    try {
      requirePrivate(path, fs.fstatSync(file), userId);
      return fs.readFileSync(file);
    } finally {
      fs.closeSync(file);
    }
  });
}

/**
 * Replaces a private file: after a crash at any point it holds all of the old bytes or all of the new ones.
 * Its folder is one of ours (`Paths`) and is created, or tightened to 0700.
 * @throws Failure `local_state`
 */
export function writePrivate(path: string, bytes: Uint8Array | string): void {
  const folder = dirname(path);
  ensurePrivateFolder(folder);
  onDisk('written', path, () => {
    const temporary = join(folder, `.${basename(path)}.${systemRandom.hex(8)}.tmp`);
    try {
      writeNew(temporary, bytes);
      fs.renameSync(temporary, path);
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
    syncFolder(folder);
  });
}

/**
 * Creates an empty private file; one that stands there already is not even opened.
 * @throws Failure `local_state`, also where a link, or something of another user, stands there
 */
export function ensurePrivateFile(path: string): void {
  ensurePrivateFolder(dirname(path));
  onDisk('written', path, () => {
    try {
      writeNew(path, '');
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      requireOwn(path, fs.lstatSync(path), currentUser());
    }
  });
}

function writeNew(path: string, bytes: Uint8Array | string): void {
  const file = fs.openSync(path, 'wx', FILE_MODE);
  try {
    // The umask may have taken the owner's own permissions.
    fs.fchmodSync(file, FILE_MODE);
    fs.writeFileSync(file, bytes);
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

function openIfThere(path: string): number | null {
  try {
    // Without O_NONBLOCK the opening of a named pipe would wait for a writer.
    return fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP') throw linked(path);
    if (code === 'ENXIO') throw refusal(`${path} is not a regular file.`, 'Replace it with a file.');
    throw error;
  }
}

function linked(path: string): Failure {
  return refusal(`${path} is a link.`, 'Name the file itself: svc does not follow links.');
}

function requireOwn(path: string, stats: fs.Stats, userId: number): void {
  if (stats.isSymbolicLink()) throw linked(path);
  if (!stats.isFile()) throw refusal(`${path} is not a regular file.`, 'Replace it with a file.');
  if (stats.uid !== userId) {
    throw refusal(
      `${path} belongs to another user.`,
      `Make it yours: sudo chown "$(id -un)" ${shellPath(path)}`,
    );
  }
}

function requirePrivate(path: string, stats: fs.Stats, userId: number): void {
  requireOwn(path, stats, userId);
  if ((stats.mode & SHARED) !== 0) {
    throw refusal(
      `Other users of this machine may read or change ${path}.`,
      `Type: chmod 600 ${shellPath(path)}`,
    );
  }
}
