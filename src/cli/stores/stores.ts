/** What a command keeps, one interface over files and over a database that machines share: batches, journal, mirrors and checkpoints. */
import type { BatchStore } from '../../bulk/store/batch-store.js';
import type { BatchFacts } from '../../bulk/store/batch.js';
import type { Holder, OtherRow } from '../../bulk/store/row.js';
import type { NamedCheckpoint, OpenCheckpoint, FeedPlace } from '../../events/checkpoint.js';
import type { Journal } from '../../journal/journal.js';
import type { Mirrors } from '../../mirror/mirror.js';

export type StoreName = 'batches' | 'journal' | 'mirrors';

/** Whatever it opens is closed by the caller. Every method throws Failure `local_state` where the store can't be used: then nothing may be sent. */
export interface Stores {
  readonly where: {
    /** Several machines work with them. */
    readonly isShared: boolean;
    /** As a person reads it: "on this machine". */
    readonly said: string;
    /** The address without its password; null for files. */
    readonly address: string | null;
  };
  /** False where nothing was ever kept: it need not be opened, and would be made. */
  has(store: StoreName): boolean;
  /** Without the bodies that nothing has needed for 30 days. */
  openBatches(): Promise<BatchStore>;
  openJournal(): Promise<Journal>;
  /** Those of every company. */
  openMirrors(): Promise<Mirrors>;
  /**
   * Works with the batches while nobody else runs this one. Where machines share it, a run that sends is joined by others that do.
   * @throws Failure `locked` where somebody does
   */
  withLockedBatch<T>(
    name: string,
    mode: 'send' | 'alone',
    work: (store: BatchStore) => Promise<T>,
  ): Promise<T>;
  /**
   * A store for a plan that is only shown, and the name of that plan: its rows are on this machine, and where machines share their state
   * nothing is written there; the batches that it is held against are theirs.
   * @throws Failure `locked` where another plan is shown here
   */
  withShownPlan<T>(work: (store: BatchStore, name: string) => Promise<T>): Promise<T>;
  /** True where somebody runs this batch now, on any machine that shares it. */
  isAtWork(batch: string): Promise<boolean>;
  /** True where another database server has taken over since nothing was in doubt about this batch. */
  isInDoubt(batch: string): Promise<boolean>;
  /** The rows of all batches with that reference: for a single create, which has no batch. */
  rowsOfReference(
    looking: Pick<BatchFacts, 'environment' | 'direction'>,
    referenceMark: Uint8Array,
  ): Promise<OtherRow[]>;
  /** The rows of all batches that are settled with one of these operations. Nothing is tidied for it: an answered create waits. */
  holders(operations: readonly string[]): Promise<Holder[]>;
  /**
   * Works with a checkpoint while no other run does.
   * @throws Failure `locked` where one does, `unsafe` for a checkpoint of another place
   */
  withCheckpoint<T>(named: NamedCheckpoint, work: (checkpoint: OpenCheckpoint) => Promise<T>): Promise<T>;
  /** Drops those of a feed that is gone; answers how many. */
  dropCheckpoints(isGone: (place: FeedPlace) => boolean): Promise<number>;
}

/** Works with a store that is being opened, and closes it. */
export async function closing<S extends { close(): Promise<void> }, T>(
  opening: Promise<S>,
  work: (store: S) => T | Promise<T>,
): Promise<T> {
  const store = await opening;
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
