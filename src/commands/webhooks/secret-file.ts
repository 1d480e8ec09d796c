/** Reads the file of `--secret-file`. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { shellPath } from '../../runtime/disk.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import type { GlobalFlags } from '../../cli/command.js';

/** More is no file of secrets. */
const FILE_MAX_BYTES = 4096;

/**
 * The text of the file. A pipe will do (a shell's `<(command)`); what others can read is used with a warning, for mounted
 * secrets often are like that.
 * @throws Failure `usage` for a file that can't be read
 */
export async function readSecretFile(path: string, ports: Ports, flags: GlobalFlags): Promise<string> {
  const { text, isShared } = readStart(path);
  if (isShared && !flags.quiet) {
    await ports.errors.write(
      `Other users of this machine can read the secret: chmod 600 ${shellPath(path)}\n`,
    );
  }
  return text;
}

function readStart(path: string): { text: string; isShared: boolean } {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(FILE_MAX_BYTES + 1);
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read) {
        read = readSync(file, bytes, length, bytes.length - length, null);
      }
      if (length > FILE_MAX_BYTES) throw new RangeError('it is too long');
      const stats = fstatSync(file);
      return {
        text: bytes.toString('utf8', 0, length),
        isShared: stats.isFile() && (stats.mode & 0o077) !== 0,
      };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const why =
      error instanceof RangeError ? error.message : ((error as NodeJS.ErrnoException).code ?? 'unreadable');
    throw new Failure('usage', `--secret-file names a file that cannot be used (${why}). Nothing was sent.`, {
      cause: error,
    });
  }
}
