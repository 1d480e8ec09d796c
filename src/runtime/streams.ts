/** The ports to standard input, output and error, and how what was written to a file is put on the disk. Being a terminal is plain data. */
import * as fs from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { diskFailure, errorCode } from './folders.js';
import { Failure } from './failure.js';

export interface Output {
  readonly isTTY: boolean;
  /** The width of the terminal; 80 where there is none, or it says 0. */
  readonly columns: number;
  /**
   * Resolves once the text is handed over to the reader.
   * @throws ReaderGone where the reader went away (EPIPE): what was written before may not have been read either;
   *   Failure `local_state` where it cannot be written (a full disk)
   */
  write(chunk: string | Uint8Array): Promise<void>;
}

/** Standard output, on which somebody may rely once it was written. */
export interface DataOutput extends Output {
  /**
   * Resolves once what was written by now is on the disk, where a regular file takes it; what is in a pipe is its reader's to keep.
   * @throws Failure `local_state` where it can't be put there: then and from then on
   */
  durable(): Promise<void>;
}

export interface Input {
  readonly isTTY: boolean;
  /**
   * All of it, as bytes.
   * @throws Failure (usage) where it is longer than `maxBytes`
   */
  readAll(maxBytes: number): Promise<Buffer>;
  /** The same piece by piece, however long it is; once. */
  chunks(): AsyncIterable<Uint8Array>;
  /** What a person types before Enter, without it; null at the end of the input. */
  readLine(): Promise<string | null>;
}

/** Thrown by a write whose reader went away, for example `| head -1`. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

/**
 * Wraps a writable stream; an EPIPE rejects the write that met it and every later one.
 * @param sync puts what was written on the disk
 */
export function outputOf(
  stream: Writable & { isTTY?: boolean; columns?: number },
  sync: () => Promise<void> = () => Promise.resolve(),
): DataOutput {
  const { wrote, durable } = durabilityBy(sync);
  let gone: Error | null = null;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    gone ??= writeFailure(error);
  });
  return {
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.columns === undefined || stream.columns === 0 ? 80 : stream.columns;
    },
    write: (chunk) =>
      new Promise((resolve, reject) => {
        if (gone !== null) {
          reject(gone);
          return;
        }
        stream.write(chunk, (error) => {
          if (error !== null && error !== undefined) {
            reject(writeFailure(error));
            return;
          }
          if (chunk.length > 0) wrote();
          resolve();
        });
      }),
    durable,
  };
}

/** The same for notes and errors: a reader who does not want them changes nothing of what a command does. */
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

/** Wraps a readable stream. */
export function inputOf(stream: () => Readable & { isTTY?: boolean }, isTTY: boolean): Input {
  return {
    isTTY,
    readAll: async (maxBytes) => {
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of piecesOf(stream())) {
        length += chunk.length;
        if (length > maxBytes) {
          throw new Failure(
            'usage',
            `Standard input is longer than ${String(maxBytes)} bytes. Nothing was sent.`,
          );
        }
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    },
    chunks: () => piecesOf(stream()),
    readLine: () => lineOf(stream()),
  };
}

/** @throws Failure `local_state` where it can't be read */
async function* piecesOf(stream: Readable): AsyncGenerator<Buffer, void, void> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw diskFailure('read', 'Standard input', error);
  }
}

function lineOf(stream: Readable): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let text = '';
    const end = (line: string | null): void => {
      stream.off('data', take).off('end', finish).off('error', fail).pause();
      resolve(line);
    };
    const fail = (error: Error): void => {
      const failure = diskFailure('read', 'Standard input', error);
      reject(failure instanceof Error ? failure : error);
    };
    const take = (chunk: Buffer): void => {
      text += chunk.toString('utf8');
      const at = text.indexOf('\n');
      if (at !== -1) end(text.slice(0, at));
    };
    const finish = (): void => end(text === '' ? null : text);
    stream.on('data', take).on('end', finish).on('error', fail).resume();
  });
}

/** The stream's own errors that a write has been rejected with. */
const reported = new WeakSet<object>();

/** True for an error of a stream that its writer already got: to throw it again says nothing new. */
export function isTold(error: unknown): boolean {
  return typeof error === 'object' && error !== null && reported.has(error);
}

function writeFailure(error: NodeJS.ErrnoException): Error {
  reported.add(error);
  if (error.code === 'EPIPE') return new ReaderGone('the reader of the output went away');
  const failure = diskFailure('written', 'Standard output', error);
  return failure instanceof Error ? failure : error;
}

/** Syncs a descriptor. @throws the file system's own errors */
export type SyncDescriptor = (descriptor: number) => Promise<void>;

const syncOnDisk: SyncDescriptor = (descriptor) =>
  new Promise((resolve, reject) => {
    fs.fsync(descriptor, (error) => (error === null ? resolve() : reject(error)));
  });

/**
 * Syncs what stands behind a descriptor where that is a regular file: for a pipe, a terminal and a device nothing is done.
 * @throws Failure `local_state` where it can't be synced
 */
export function fileSync(descriptor: number, sync: SyncDescriptor = syncOnDisk): () => Promise<void> {
  let [isFile, isNamed]: [boolean | null, boolean] = [null, false];
  return async () => {
    try {
      isFile ??= fs.fstatSync(descriptor).isFile();
      if (!isFile) return;
      await sync(descriptor);
      if (!isNamed) await syncName(descriptor, sync);
      isNamed = true;
    } catch (error) {
      throw diskFailure('written to the disk', 'Standard output', error);
    }
  };
}

/**
 * The folder in which the file stands, whether or not the file was empty: a run that was cut before may have made it. Where nobody says
 * which folder that is, or it may not be read, the file alone is synced.
 */
async function syncName(descriptor: number, sync: SyncDescriptor): Promise<void> {
  const path = pathOf(descriptor);
  const folder = path === null ? null : openFolder(path.subarray(0, path.lastIndexOf('/') + 1));
  if (folder === null) return;
  try {
    await sync(folder);
  } catch (error) {
    // A file system that has no such thing for folders.
    if (errorCode(error) !== 'EINVAL') throw error;
  } finally {
    fs.closeSync(folder);
  }
}

/** Only Linux says it; what was removed, or is seen under another name here, has none. */
function pathOf(descriptor: number): Buffer | null {
  try {
    const path = fs.readlinkSync(`/proc/self/fd/${descriptor}`, 'buffer');
    const [there, here] = [fs.statSync(path, { bigint: true }), fs.fstatSync(descriptor, { bigint: true })];
    return there.ino === here.ino && there.dev === here.dev ? path : null;
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

/** Says when there is something to sync, and does so once for all who wait. */
export interface Durability {
  /** Something more was written. */
  readonly wrote: () => void;
  /** Resolves once what was written by now is synced. Rejects as the sync did, from then on always: what was lost, another sync does not find. */
  readonly durable: () => Promise<void>;
}

export function durabilityBy(sync: () => Promise<void>): Durability {
  let last: Promise<void> = Promise.resolve();
  let [hasMore, isWaiting] = [false, false];
  return {
    wrote: () => void (hasMore = true),
    durable: () => {
      if (hasMore && !isWaiting) {
        isWaiting = true;
        last = last.then(() => {
          [hasMore, isWaiting] = [false, false];
          return sync();
        });
      }
      return last;
    },
  };
}
