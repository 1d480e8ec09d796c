/** Where the bytes of a file come from: a file, which can be read again, or a stream, which is read once. */
import { constants, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { cannotRead, diskFailure, namedFileFailure } from '../runtime/folders.js';
import { Failure } from '../runtime/failure.js';
import { isNamedPipe, readNamedPipe } from '../runtime/named-pipe.js';
import type { Input } from '../runtime/streams.js';

/** What a file that can't be read means for what was to be done with it. */
export type Undone = 'Nothing was reconciled.' | 'Nothing was sent.' | 'Nothing was changed.';

/** Where the bytes come from. */
export interface FileSource {
  /** As messages call it: the path as it was given, or `standard input`. */
  readonly name: string;
  readonly undone: Undone;
  /** Whether it can be read again from its beginning. */
  readonly isRepeatable: boolean;
  /** Of a file that is open, for what is not read from its beginning; null for a stream. */
  readonly fd: number | null;
  /** In pieces, each of which is good until the next one is asked for. */
  bytes(): AsyncIterable<Uint8Array>;
  /** @throws Failure `bad_file` where it changed since it was opened */
  requireUnchanged(): Promise<void>;
  close(): Promise<void>;
}

type Named = Pick<FileSource, 'name' | 'undone'>;

/** The records of a piece are in memory at once: of one twice as large a batch took 20 MB more, and was no faster. */
const CHUNK_BYTES = 32 * 1024;
/** A named pipe, which is refused, is not waited for. */
const READ_AT_ONCE = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Opens what was named: a file, a pipe, or standard input for `-`. The caller closes it.
 * @throws Failure `bad_file` where it can't be read, `local_state` where the disk reports an error
 */
export async function openSource(path: string, input: Input, undone: Undone): Promise<FileSource> {
  const named = { name: path, undone };
  if (path === '-') return streamOf({ name: 'standard input', undone }, input.chunks());
  // As a shell makes it for `<(...)`.
  return isNamedPipe(path) ? pipeOf(named) : openFileSource(path, undone);
}

/** What is no pipe that waits for a writer. @param only what else is refused, and not waited for @throws as `openSource` */
export async function openFileSource(
  path: string,
  undone: Undone,
  only?: 'a regular file',
): Promise<FileSource> {
  const named = { name: path, undone };
  const flags = only === undefined ? 'r' : READ_AT_ONCE;
  const handle = await open(path, flags).catch((error: unknown) => {
    throw namedFileFailure(path, error, (why) => unreadable(named, why, error));
  });
  const before = await statOf(path, handle);
  const isRefused = only === undefined ? before.isDirectory() : !before.isFile();
  if (isRefused) {
    await handle.close();
    throw unreadable(named, only === undefined ? 'EISDIR' : 'it is not a regular file');
  }
  if (!before.isFile())
    return { ...streamOf(named, pieces(named, handle, null)), close: () => handle.close() };
  let readBytes = 0;
  return {
    ...named,
    isRepeatable: true,
    fd: handle.fd,
    bytes: () => pieces(named, handle, 0, (end) => (readBytes = Math.max(readBytes, end))),
    close: () => handle.close(),
    requireUnchanged: async () => {
      const after = await statOf(path, handle);
      if (after.size !== before.size || after.mtimeMs !== before.mtimeMs || readBytes > after.size)
        throw new Failure(
          'bad_file',
          `${path} changed while it was read. ${undone} Run this again once it is whole.`,
        );
    },
  };
}

function statOf(path: string, handle: FileHandle): Promise<Stats> {
  return handle.stat().catch((error: unknown) => {
    throw diskFailure('read', path, error);
  });
}

async function pipeOf(named: Named): Promise<FileSource> {
  const pipe = await readNamedPipe(named.name).catch((error: unknown) => {
    throw namedFileFailure(named.name, error, (why) => unreadable(named, why, error));
  });
  const read = async function* (): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* pipe;
    } catch (error) {
      throw diskFailure('read', named.name, error);
    }
  };
  const close = (): Promise<void> => {
    pipe.close();
    return Promise.resolve();
  };
  return { ...streamOf(named, read()), close };
}

/** What comes once and from its beginning. */
function streamOf(named: Named, bytes: AsyncIterable<Uint8Array>): FileSource {
  return {
    ...named,
    isRepeatable: false,
    fd: null,
    bytes: () => bytes,
    close: () => Promise.resolve(),
    requireUnchanged: () => Promise.resolve(),
  };
}

async function* pieces(
  named: Named,
  handle: FileHandle,
  from: number | null,
  reached?: (end: number) => void,
): AsyncGenerator<Uint8Array, void, void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = from; ;) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, at).catch((error: unknown) => {
      throw namedFileFailure(named.name, error, (why) => unreadable(named, why, error));
    });
    if (bytesRead === 0) return;
    if (at !== null) reached?.((at += bytesRead));
    yield buffer.subarray(0, bytesRead);
  }
}

function unreadable({ name, undone }: Named, why: string, cause?: unknown): Failure {
  return new Failure('bad_file', `${cannotRead(name, why)}. ${undone}`, { cause });
}
