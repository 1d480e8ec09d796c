/** What was written to an output, put on the disk where a regular file takes it: its bytes each time that somebody relies on them, its name once. */
import * as fs from 'node:fs';
import { diskFailure, errorCode } from './disk.js';

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
