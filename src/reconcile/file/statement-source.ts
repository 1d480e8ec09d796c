/** Where the bytes of a ledger or a statement come from: a file, which can be read again, or a stream, which is read once. */
import { open, type FileHandle } from 'node:fs/promises';
import { errorCode } from '../../runtime/disk.js';
import { Failure } from '../../runtime/failure.js';
import type { Input } from '../../runtime/streams.js';
import type { StatementSource } from './plan.js';

const CHUNK_BYTES = 64 * 1024;

/**
 * Opens what was named: a file, a pipe, or standard input for `-`. The caller closes it.
 * @throws Failure `bad_file` where it can't be read
 */
export async function openStatement(path: string, input: Input): Promise<StatementSource> {
  if (path === '-') return streamOf('standard input', input.chunks());
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw unreadable(path, errorCode(error) ?? 'unreadable', error);
  });
  const before = await handle.stat();
  if (before.isDirectory()) {
    await handle.close();
    throw unreadable(path, 'it is a folder');
  }
  // A pipe, as a shell makes it for `<(...)`.
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
      throw unreadable(path, errorCode(error) ?? 'unreadable', error);
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
