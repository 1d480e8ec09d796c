/** JSON as a command line gives it: an argument, a file, standard input; and what it is called where something is wrong with it. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { cannotRead, namedFileFailure, shellPath } from '../../runtime/disk.js';
import { Failure } from '../../runtime/failure.js';
import { heldPipe } from '../../runtime/named-pipe.js';
import type { Ports } from '../../runtime/ports.js';

/** What the service takes at most; more is never sent. */
const MAX_BYTES = 1024 * 1024;

export interface DataFlags {
  readonly data?: string | undefined;
  readonly 'data-file'?: string | undefined;
}

/**
 * The bytes of `--data JSON`, `--data @FILE`, `--data -` or `--data-file FILE`; null where none is given.
 * @throws Failure `usage` for both at once, a file that can't be read or whose `@` is missing, or more than 1 MiB
 */
export async function readData(flags: DataFlags, ports: Ports): Promise<Uint8Array | null> {
  const { data, 'data-file': file } = flags;
  if (data !== undefined && file !== undefined) throw usage('Give either --data or --data-file, not both.');
  if (file !== undefined) return readDataFile(file);
  if (data === undefined) return null;
  if (data === '-') return ports.input.readAll(MAX_BYTES);
  if (data.startsWith('@')) return readDataFile(data.slice(1));
  if (namesFile(data)) throw usage(`--data takes JSON. Did you mean --data ${shellPath(`@${data}`)}?`);
  return Buffer.from(data);
}

/** What the data is called in a message: its file, or where it came from. */
export function dataName({ data, 'data-file': file }: DataFlags): string {
  if (file !== undefined) return file;
  if (data === '-') return 'Standard input';
  return data?.startsWith('@') === true ? data.slice(1) : '--data';
}

function namesFile(text: string): boolean {
  return /^[^{["]/.test(text.trim()) && (/^[^\s{}"]+\.json$/i.test(text) || existsSync(text));
}

const tooLong = new RangeError('more than 1 MiB');

function readDataFile(path: string): Uint8Array {
  try {
    const pipe = heldPipe(path);
    if ((pipe?.length ?? statSync(path).size) > MAX_BYTES) throw tooLong;
    return pipe ?? readFileSync(path);
  } catch (error) {
    if (error === tooLong) throw usage(`${path} is larger than 1 MiB.`, error);
    throw namedFileFailure(path, error, (why) => usage(`${cannotRead(path, why)}.`, error));
  }
}

function usage(message: string, cause?: unknown): Failure {
  return new Failure('usage', `${message} Nothing was sent.`, { cause });
}
