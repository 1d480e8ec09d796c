import { constants, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { unreadableText, diskFailure, namedFileFailure } from '../runtime/folders.js';
import { Failure } from '../runtime/failure.js';
import { isNamedPipe, openNamedPipe } from '../runtime/named-pipe.js';
import type { Input } from '../runtime/streams.js';

export type Undone = 'Nothing was reconciled.' | 'Nothing was sent.' | 'Nothing was changed.';

export interface FileSource {
  readonly name: string;
  readonly undone: Undone;
  readonly isRepeatable: boolean;
  readonly fd: number | null;
  /** A piece is valid only until the next one is requested, because the pieces share a buffer. */
  bytes(): AsyncIterable<Uint8Array>;
  requireUnchanged(): Promise<void>;
  close(): Promise<void>;
}

export type SourceName = Pick<FileSource, 'name' | 'undone'>;

const CHUNK_BYTES = 32 * 1024;
/** Opens a named pipe without waiting, so that it can be refused where only a regular file is allowed. */
const NONBLOCKING_READ = constants.O_RDONLY | constants.O_NONBLOCK;

export async function openSource(path: string, input: Input, undone: Undone): Promise<FileSource> {
  if (path === '-') return streamOf({ name: 'standard input', undone }, input.chunks());
  return isNamedPipe(path) ? pipeOf({ name: path, undone }) : openFileSource(path, undone);
}

export async function openFileSource(path: string, undone: Undone, only?: 'a regular file') {
  const source = { name: path, undone };
  const flags = only === undefined ? 'r' : NONBLOCKING_READ;
  const handle = await open(path, flags).catch((error: unknown) => {
    throw namedFileFailure(path, error, (why) => unreadable(source, why, error));
  });
  const before = await statOf(path, handle);
  if (only === undefined ? before.isDirectory() : !before.isFile()) {
    await handle.close();
    throw unreadable(source, only === undefined ? 'EISDIR' : 'it is not a regular file');
  }
  const close = (): Promise<void> => handle.close();
  if (!before.isFile()) return streamOf(source, pieces(source, handle, null), close);
  let readBytes = 0;
  return {
    ...source,
    isRepeatable: true,
    fd: handle.fd,
    bytes: () => pieces(source, handle, 0, (end) => (readBytes = Math.max(readBytes, end))),
    close,
    requireUnchanged: async () => {
      const after = await statOf(path, handle);
      const why = `${path} changed while it was read. ${undone} Run this again once it is whole.`;
      if (after.size !== before.size || after.mtimeMs !== before.mtimeMs || readBytes > after.size)
        throw new Failure('bad_file', why);
    },
  };
}

function statOf(path: string, handle: FileHandle): Promise<Stats> {
  return handle.stat().catch((error: unknown) => {
    throw diskFailure('read', path, error);
  });
}

async function pipeOf(source: SourceName): Promise<FileSource> {
  const pipe = await openNamedPipe(source.name).catch((error: unknown) => {
    throw namedFileFailure(source.name, error, (why) => unreadable(source, why, error));
  });
  const bytes = async function* (): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* pipe;
    } catch (error) {
      throw diskFailure('read', source.name, error);
    }
  };
  return streamOf(source, bytes(), () => {
    pipe.close();
    return Promise.resolve();
  });
}

function streamOf(
  source: SourceName,
  bytes: AsyncIterable<Uint8Array>,
  close = (): Promise<void> => Promise.resolve(),
): FileSource {
  return {
    ...source,
    isRepeatable: false,
    fd: null,
    bytes: () => bytes,
    close,
    requireUnchanged: () => Promise.resolve(),
  };
}

async function* pieces(
  source: SourceName,
  handle: FileHandle,
  from: number | null,
  onRead?: (end: number) => void,
): AsyncGenerator<Uint8Array, void, void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = from; ;) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, at).catch((error: unknown) => {
      throw namedFileFailure(source.name, error, (why) => unreadable(source, why, error));
    });
    if (bytesRead === 0) return;
    if (at !== null) onRead?.((at += bytesRead));
    yield buffer.subarray(0, bytesRead);
  }
}

function unreadable({ name, undone }: SourceName, why: string, cause?: unknown): Failure {
  return new Failure('bad_file', `${unreadableText(name, why)}. ${undone}`, { cause });
}
