import { join } from 'node:path';
import { shellPath, errorCode, onDisk } from '../../runtime/folders.js';
import { openTogether } from '../../runtime/disposal.js';
import { Failure } from '../../runtime/failure.js';
import { readPrivate, takeLock, writePrivate, withLock } from '../../runtime/files.js';
import {
  keyNotes,
  type NamedCheckpoint,
  newerCheckpointFailure,
  type OpenCheckpoint,
  requireSamePlace,
  type CheckpointRead,
  readCheckpoint,
  writeCheckpoint,
  type FeedPlace,
} from './checkpoint.js';
import { readdirSync, rmSync } from 'node:fs';
import type { Clock } from '../../runtime/clock.js';

export interface CheckpointOptions extends NamedCheckpoint {
  readonly folder: string;
}

/** A checkpoint is written to two files in turn, because one damaged file must not restart the feed from its beginning. */
const SLOTS = ['a', 'b'] as const;
type Slot = (typeof SLOTS)[number];

function lockPath({ folder, name }: Pick<CheckpointOptions, 'folder' | 'name'>): string {
  return join(folder, `${name}.lock`);
}

export async function lockCheckpoint(
  options: CheckpointOptions,
  clock: Clock,
): Promise<OpenCheckpoint & AsyncDisposable> {
  return openTogether(async (use) => {
    use(await takeLock(lockPath(options), { clock, waitMs: 0 }));
    return openCheckpoint(options);
  });
}

export function openCheckpoint(options: CheckpointOptions): OpenCheckpoint {
  const pathOf = (slot: Slot): string => join(options.folder, `${options.name}.${slot}.json`);
  const copies = SLOTS.map((slot) => ({ slot, read: readSlot(pathOf(slot)) }));
  const intactCopies = copies.flatMap(({ slot, read }) =>
    read?.kind === 'whole' ? [{ slot, checkpoint: read.checkpoint }] : [],
  );
  const newest =
    intactCopies.sort((one, other) => other.checkpoint.sequence - one.checkpoint.sequence)[0] ?? null;
  if (copies.some(({ read }) => read?.kind === 'newer')) throw newerCheckpointFailure(options.name);
  const damagedPaths = copies.filter(({ read }) => read?.kind === 'damaged').map(({ slot }) => pathOf(slot));
  if (newest === null && damagedPaths.length > 0) {
    const text =
      `Checkpoint ${options.name} is damaged, and there is no good copy. svc does not start from the beginning instead. ` +
      `To begin again with --from, first type: rm ${damagedPaths.map(shellPath).join(' ')}`;
    throw new Failure('local_state', text, { code: 'checkpoint_damaged' });
  }
  const notes = newest === null ? [] : keyNotes(newest.checkpoint, options);
  if (newest !== null) requireSamePlace(newest.checkpoint, options);
  if (damagedPaths.length > 0)
    notes.unshift(
      `One of the two copies of checkpoint ${options.name} is damaged. Some events may come again. None is missing.`,
    );
  let sequence = newest?.checkpoint.sequence ?? 0;
  let lastSlot: Slot = newest?.slot ?? 'b';
  return {
    position: newest?.checkpoint.position ?? null,
    notes,
    save: (position) =>
      new Promise((resolve) => {
        const { environment, address, keyMask } = options;
        const slot = lastSlot === 'a' ? 'b' : 'a';
        const text = writeCheckpoint({ environment, address, keyMask, position, sequence: sequence + 1 });
        writePrivate(pathOf(slot), text);
        sequence += 1;
        lastSlot = slot;
        resolve();
      }),
  };
}

function readSlot(path: string): CheckpointRead | null {
  const bytes = readPrivate(path);
  return bytes === null ? null : readCheckpoint(bytes);
}

export async function dropCheckpoints(
  folder: string,
  clock: Clock,
  isGone: (place: FeedPlace) => boolean,
): Promise<number> {
  let count = 0;
  for (const name of namesIn(folder)) {
    const paths = ['a', 'b'].map((slot) => join(folder, `${name}.${slot}.json`));
    const drop = (): void => {
      const isOfGoneFeed = (path: string): boolean => {
        const read = readSlot(path);
        return read?.kind === 'whole' && isGone(read.checkpoint);
      };
      if (!paths.some(isOfGoneFeed)) return;
      onDisk('written', folder, () => paths.forEach((path) => rmSync(path, { force: true })));
      count += 1;
    };
    await withLock(lockPath({ folder, name }), { clock, waitMs: 0 }, drop).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.kind !== 'locked') throw error;
    });
  }
  return count;
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
