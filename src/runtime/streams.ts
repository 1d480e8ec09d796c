import * as fs from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { diskFailure, errorCode } from './folders.js';
import { usageFailure } from './failure.js';

export interface Output {
  readonly isTTY: boolean;
  readonly columns: number;
  write(chunk: string | Uint8Array): Promise<void>;
}

export interface DataOutput extends Output {
  durable(): Promise<void>;
}

export interface Input {
  readonly isTTY: boolean;
  readAll(maxBytes: number): Promise<Buffer>;
  chunks(): AsyncIterable<Uint8Array>;
  readLine(): Promise<string | null>;
}

export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

export function outputOf(
  stream: Writable & { isTTY?: boolean; columns?: number },
  sync: () => Promise<void> = () => Promise.resolve(),
): DataOutput {
  const { noteWrite, durable } = coalesceSyncs(sync);
  let failure: Error | null = null;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    failure ??= writeFailure(error);
  });
  return {
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.columns === undefined || stream.columns === 0 ? 80 : stream.columns;
    },
    write: (chunk) =>
      new Promise((resolve, reject) => {
        if (failure !== null) {
          reject(failure);
          return;
        }
        stream.write(chunk, (error) => {
          if (error !== null && error !== undefined) {
            reject(writeFailure(error));
            return;
          }
          if (chunk.length > 0) noteWrite();
          resolve();
        });
      }),
    durable,
  };
}

export function notesOf(stream: Writable & { isTTY?: boolean; columns?: number }): Output {
  const output = outputOf(stream);
  return {
    isTTY: output.isTTY,
    get columns() {
      return output.columns;
    },
    write: (chunk) => output.write(chunk).catch(() => undefined),
  };
}

export function inputOf(stream: () => Readable & { isTTY?: boolean }, isTTY: boolean): Input {
  return {
    isTTY,
    readAll: async (maxBytes) => {
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of readChunks(stream())) {
        length += chunk.length;
        if (length > maxBytes) {
          throw usageFailure(`Standard input is longer than ${String(maxBytes)} bytes.`);
        }
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    },
    chunks: () => readChunks(stream()),
    readLine: () => readOneLine(stream()),
  };
}

async function* readChunks(stream: Readable): AsyncGenerator<Buffer, void, void> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw diskFailure('read', 'Standard input', error);
  }
}

function readOneLine(stream: Readable): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let text = '';
    const end = (line: string | null): void => {
      stream.off('data', collect).off('end', finish).off('error', fail).pause();
      resolve(line);
    };
    const fail = (error: Error): void => {
      const failure = diskFailure('read', 'Standard input', error);
      reject(failure instanceof Error ? failure : error);
    };
    const collect = (chunk: Buffer): void => {
      text += chunk.toString('utf8');
      const at = text.indexOf('\n');
      if (at !== -1) end(text.slice(0, at));
    };
    const finish = (): void => end(text === '' ? null : text);
    stream.on('data', collect).on('end', finish).on('error', fail).resume();
  });
}

const reportedErrors = new WeakSet<object>();

export function isReported(error: unknown): boolean {
  return typeof error === 'object' && error !== null && reportedErrors.has(error);
}

function writeFailure(error: NodeJS.ErrnoException): Error {
  reportedErrors.add(error);
  if (error.code === 'EPIPE') return new ReaderGone('the reader of the output went away');
  const failure = diskFailure('written', 'Standard output', error);
  return failure instanceof Error ? failure : error;
}

export type SyncDescriptor = (descriptor: number) => Promise<void>;

const syncOnDisk: SyncDescriptor = (descriptor) =>
  new Promise((resolve, reject) => {
    fs.fsync(descriptor, (error) => (error === null ? resolve() : reject(error)));
  });

export function fileSyncOf(descriptor: number, sync: SyncDescriptor = syncOnDisk): () => Promise<void> {
  let [isFile, isNameSynced]: [boolean | null, boolean] = [null, false];
  return async () => {
    try {
      isFile ??= fs.fstatSync(descriptor).isFile();
      if (!isFile) return;
      await sync(descriptor);
      if (!isNameSynced) await syncName(descriptor, sync);
      isNameSynced = true;
    } catch (error) {
      throw diskFailure('written to the disk', 'Standard output', error);
    }
  };
}

/** The folder is synced too, because the program that made the file may not have synced it. */
async function syncName(descriptor: number, sync: SyncDescriptor): Promise<void> {
  const path = pathOf(descriptor);
  const folder = path === null ? null : openFolder(path.subarray(0, path.lastIndexOf('/') + 1));
  if (folder === null) return;
  try {
    await sync(folder);
  } catch (error) {
    if (errorCode(error) !== 'EINVAL') throw error;
  } finally {
    fs.closeSync(folder);
  }
}

function pathOf(descriptor: number): Buffer | null {
  try {
    const path = fs.readlinkSync(`/proc/self/fd/${descriptor}`, 'buffer');
    const pathStats = fs.statSync(path, { bigint: true });
    const openStats = fs.fstatSync(descriptor, { bigint: true });
    return pathStats.ino === openStats.ino && pathStats.dev === openStats.dev ? path : null;
  } catch {
    return null;
  }
}

function openFolder(path: Buffer): number | null {
  try {
    return fs.openSync(path, 'r');
  } catch (error) {
    if (['EACCES', 'EPERM', 'ENOENT'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}

/** After a failed sync `durable` always rejects, because a later sync does not bring lost data back. */
export function coalesceSyncs(sync: () => Promise<void>) {
  let lastSync: Promise<void> = Promise.resolve();
  let [hasUnsynced, isSyncScheduled] = [false, false];
  return {
    noteWrite: () => void (hasUnsynced = true),
    durable: (): Promise<void> => {
      if (hasUnsynced && !isSyncScheduled) {
        isSyncScheduled = true;
        lastSync = lastSync.then(() => {
          [hasUnsynced, isSyncScheduled] = [false, false];
          return sync();
        });
      }
      return lastSync;
    },
  };
}
