/** A named checkpoint on the disk: two generations in two files, so that a damaged one never means the start of the feed. */
import { join } from 'node:path';
import { shellPath } from '../runtime/disk.js';
import { Failure } from '../runtime/failure.js';
import { readPrivate, writePrivate } from '../runtime/files.js';
import {
  type Checkpoint,
  type CheckpointRead,
  type FeedPlace,
  readCheckpoint,
  writeCheckpoint,
} from './checkpoint-text.js';
import type { Position } from './walk.js';

export interface CheckpointFile {
  /** Where the last run left off; null for a name that was never used. */
  readonly position: Position | null;
  /** For standard error: what was found that a person should know. */
  readonly notes: readonly string[];
  /** Durable when it returns. @throws Failure `local_state` */
  save(position: Position): void;
}

export interface CheckpointOptions extends FeedPlace {
  /** The folder of all checkpoints. */
  readonly folder: string;
  readonly name: string;
  /** The API key in use, masked. */
  readonly keyMask: string;
}

const SLOTS = ['a', 'b'] as const;
type Slot = (typeof SLOTS)[number];

/** A name that is a file's name everywhere and no path. @throws Failure `usage` */
export function requireCheckpointName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  throw new Failure(
    'usage',
    'A checkpoint is named by 1 to 64 letters, digits, dots, dashes and underscores. Nothing was sent.',
  );
}

/** The file whose lock a run holds as long as it uses the checkpoint. */
export function checkpointLock({ folder, name }: Pick<CheckpointOptions, 'folder' | 'name'>): string {
  return join(folder, `${name}.lock`);
}

/**
 * Reads both generations; the caller holds the lock.
 * @throws Failure `unsafe` for a checkpoint of another address or environment, `local_state` where neither generation can be used
 */
export function openCheckpoint(options: CheckpointOptions): CheckpointFile {
  const pathOf = (slot: Slot): string => join(options.folder, `${options.name}.${slot}.json`);
  const found = SLOTS.map((slot) => ({ slot, read: readSlot(pathOf(slot)) }));
  const newest = newestOf(found);
  if (found.some(({ read }) => read?.kind === 'newer')) throw newer(options.name);
  const isLost = newest === null && found.some(({ read }) => read !== null);
  if (isLost)
    throw damaged(
      options.name,
      found.filter(isDamaged).map(({ slot }) => pathOf(slot)),
    );
  if (newest !== null) requirePlace(newest.checkpoint, options);
  const notes = newest === null ? [] : notesOn(newest.checkpoint, options, found.some(isDamaged));
  let sequence = newest?.checkpoint.sequence ?? 0;
  let last: Slot = newest?.slot ?? 'b';
  return {
    position: newest?.checkpoint.position ?? null,
    notes,
    save: (position) => {
      const { environment, address, keyMask } = options;
      const slot = last === 'a' ? 'b' : 'a';
      const text = writeCheckpoint({ environment, address, keyMask, position, sequence: sequence + 1 });
      writePrivate(pathOf(slot), text);
      sequence += 1;
      last = slot;
    },
  };
}

interface Found {
  readonly slot: Slot;
  readonly read: CheckpointRead | null;
}

function readSlot(path: string): CheckpointRead | null {
  const bytes = readPrivate(path);
  return bytes === null ? null : readCheckpoint(bytes);
}

function newestOf(found: readonly Found[]): { slot: Slot; checkpoint: Checkpoint } | null {
  const whole = found.flatMap(({ slot, read }) =>
    read?.kind === 'whole' ? [{ slot, checkpoint: read.checkpoint }] : [],
  );
  return whole.sort((one, other) => other.checkpoint.sequence - one.checkpoint.sequence)[0] ?? null;
}

function isDamaged({ read }: Found): boolean {
  return read?.kind === 'damaged';
}

function notesOn(checkpoint: Checkpoint, { name, keyMask }: CheckpointOptions, isHalf: boolean): string[] {
  return [
    ...(isHalf
      ? [
          `One of the two copies of checkpoint ${name} is damaged: some events may come once more, none is left out.`,
        ]
      : []),
    ...(checkpoint.keyMask === keyMask
      ? []
      : [`The API key is another one than when checkpoint ${name} was written (${checkpoint.keyMask}).`]),
  ];
}

/** @throws Failure `unsafe` for another address or environment */
function requirePlace(checkpoint: FeedPlace, here: FeedPlace & { readonly name: string }): void {
  if (checkpoint.address === here.address && checkpoint.environment === here.environment) return;
  throw new Failure(
    'unsafe',
    `Checkpoint ${here.name} belongs to ${checkpoint.address} (${checkpoint.environment}), and this command goes to ` +
      `${here.address} (${here.environment}). Nothing was sent. Give it the address it had, or another --checkpoint.`,
    { code: 'other_place' },
  );
}

/** @param paths the damaged copies, to be deleted by a person */
function damaged(name: string, paths: readonly string[]): Failure {
  return new Failure(
    'local_state',
    `Checkpoint ${name} is damaged, with no whole copy beside it. It is not taken for the start of the feed. ` +
      `Type: rm ${paths.map(shellPath).join(' ')}, and say where to begin with --from.`,
    { code: 'checkpoint_damaged' },
  );
}

function newer(name: string): Failure {
  return new Failure(
    'local_state',
    `Checkpoint ${name} was written by a newer version of svc. Update this one, or use another --checkpoint.`,
  );
}
