/** JSON given on the command line: as an argument, from a file, or on standard input. */
import { readFileSync, statSync } from 'node:fs';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';

/** What the service takes at most; more is never sent. */
const MAX_BYTES = 1024 * 1024;

export interface DataFlags {
  readonly data?: string | undefined;
  readonly 'data-file'?: string | undefined;
}

/**
 * The bytes of `--data JSON`, `--data @FILE`, `--data -` or `--data-file FILE`; null where none is given.
 * @throws Failure `usage` for both at once, a file that can't be read, or more than 1 MiB
 */
export async function readData(flags: DataFlags, ports: Ports): Promise<Uint8Array | null> {
  const { data, 'data-file': file } = flags;
  if (data !== undefined && file !== undefined) throw usage('--data and --data-file exclude each other.');
  if (file !== undefined) return readDataFile(file);
  if (data === undefined) return null;
  if (data === '-') return ports.input.readAll(MAX_BYTES);
  return data.startsWith('@') ? readDataFile(data.slice(1)) : Buffer.from(data);
}

function readDataFile(path: string): Uint8Array {
  try {
    if (statSync(path).size > MAX_BYTES) throw new RangeError('more than 1 MiB');
    return readFileSync(path);
  } catch (error) {
    const why =
      error instanceof RangeError ? error.message : ((error as NodeJS.ErrnoException).code ?? 'unreadable');
    throw usage(`The data file cannot be used (${why}).`, error);
  }
}

function usage(message: string, cause?: unknown): Failure {
  return new Failure('usage', `${message} Nothing was sent.`, { cause });
}
