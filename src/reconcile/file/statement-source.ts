/** Where the bytes of a ledger or a statement come from: a file, which can be read again, or a stream, which is read once. */
import { open, type FileHandle } from 'node:fs/promises';
import { diskFailure, namedFileFailure } from '../../runtime/disk.js';
import { Failure } from '../../runtime/failure.js';
import { isNamedPipe, readNamedPipe } from '../../runtime/named-pipe.js';
import type { Input } from '../../runtime/streams.js';
import type { StatementSource } from './plan.js';

const CHUNK_BYTES = 64 * 1024;

/**
 * Opens what was named: a file, a pipe, or standard input for `-`. The caller closes it.
 * @throws Failure `bad_file` where it can't be read, `local_state` where the disk reports an error
 */
export async function openStatement(path: string, input: Input): Promise<StatementSource> {
  if (path === '-') return streamOf('standard input', input.chunks());
  // As a shell makes it for `<(...)`.
  if (isNamedPipe(path)) return pipeOf(path);
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw namedFileFailure(path, error, (why) => unreadable(path, why, error));
  });
  const before = await handle.stat();
  if (before.isDirectory()) {
    await handle.close();
    throw unreadable(path, 'it is a folder');
  }
  if (!before.isFile()) return { ...streamOf(path, pieces(path, handle, null)), close: () => handle.close() };
  return {
    name: path,
    isRepeatable: true,
    bytes: () => pieces(path, handle, 0),
    close: () => handle.close(),
    requireUnchanged: async () => {
      const after = await handle.stat();
      if (after.size !== before.size || after.mtimeMs !== before.mtimeMs) throw changed(path);
    },
  };
}

async function pipeOf(path: string): Promise<StatementSource> {
  const pipe = await readNamedPipe(path).catch((error: unknown) => {
    throw namedFileFailure(path, error, (why) => unreadable(path, why, error));
  });
  const read = async function* (): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* pipe;
    } catch (error) {
      throw diskFailure('read', path, error);
    }
  };
  const close = (): Promise<void> => {
    pipe.close();
    return Promise.resolve();
  };
  return { ...streamOf(path, read()), close };
}

/** What comes once and from its beginning. */
function streamOf(name: string, bytes: AsyncIterable<Uint8Array>): StatementSource {
  return {
    name,
    isRepeatable: false,
    bytes: () => bytes,
    close: () => Promise.resolve(),
    requireUnchanged: () => Promise.resolve(),
  };
}

async function* pieces(
  path: string,
  handle: FileHandle,
  from: number | null,
): AsyncGenerator<Uint8Array, void, void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = from; ;) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, at).catch((error: unknown) => {
      throw namedFileFailure(path, error, (why) => unreadable(path, why, error));
    });
    if (bytesRead === 0) return;
    if (at !== null) at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function unreadable(path: string, why: string, cause?: unknown): Failure {
  return new Failure('bad_file', `${path} cannot be read (${why}). Nothing was reconciled.`, { cause });
}

function changed(path: string): Failure {
  return new Failure(
    'bad_file',
    `${path} changed while it was read. Nothing was reconciled: run this again once it is whole.`,
  );
}
