/** Drops the checkpoints of a feed that is gone. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../runtime/clock.js';
import { errorCode, onDisk } from '../runtime/disk.js';
import { Failure } from '../runtime/failure.js';
import { readPrivate } from '../runtime/files.js';
import { withLock } from '../runtime/lock.js';
import { checkpointLock } from './checkpoint-file.js';
import { readCheckpoint, type FeedPlace } from './checkpoint-text.js';

/**
 * Removes every checkpoint of which a whole generation belongs to such a feed; one that a run is using stays. Answers how many.
 * @throws Failure `local_state`
 */
export async function dropCheckpoints(
  folder: string,
  clock: Clock,
  isGone: (place: FeedPlace) => boolean,
): Promise<number> {
  let count = 0;
  for (const name of namesIn(folder)) {
    const paths = ['a', 'b'].map((slot) => join(folder, `${name}.${slot}.json`));
    const drop = (): void => {
      if (!paths.some((path) => belongs(path, isGone))) return;
      onDisk('written', folder, () => paths.forEach((path) => rmSync(path, { force: true })));
      count += 1;
    };
    await withLock(checkpointLock({ folder, name }), { clock, waitMs: 0 }, drop).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.kind !== 'locked') throw error;
    });
  }
  return count;
}

function belongs(path: string, isGone: (place: FeedPlace) => boolean): boolean {
  const bytes = readPrivate(path);
  const read = bytes === null ? null : readCheckpoint(bytes);
  return read?.kind === 'whole' && isGone(read.checkpoint);
}

function namesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).flatMap((file) => /^(.+)[.][ab][.]json$/.exec(file)?.[1] ?? []);
    return [...new Set(names)];
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
