/** One interface for batches, journal, mirrors and checkpoints, whether they are files or a database that machines share. */
import type { BatchStore } from './batches/batch-store.js';
import type { BatchFacts } from './batches/batch.js';
import type { Holder, OtherRow } from './batches/row.js';
import type { NamedCheckpoint, OpenCheckpoint, FeedPlace } from './checkpoints/checkpoint.js';
import type { Journal } from './journal/journal.js';
import type { Mirrors } from './mirror/mirror.js';

export type StoreName = 'batches' | 'journal' | 'mirrors';

type Opened<S> = Promise<S & AsyncDisposable>;

/** The caller disposes what it opens. Every method throws Failure `local_state` if the store can't be used: then nothing may be sent. */
export interface Stores {
  readonly where: {
    readonly isShared: boolean;
    /** Where the stores are, in words for people: "on this machine". */
    readonly text: string;
    /** The database's address without its password; null for files. */
    readonly address: string | null;
  };
  /** False if the store does not exist yet: opening would create it. */
  has(store: StoreName): boolean;
  /** Opens the batches, and removes request bodies that nothing needed for 30 days. */
  openBatches(): Opened<BatchStore>;
  openJournal(): Opened<Journal>;
  /** Opens the mirrors of all companies. */
  openMirrors(): Opened<Mirrors>;
  /**
   * Opens the batches, and lets no other command run the batch `name`. With mode `send`, machines that share the state may run the batch together.
   * @throws Failure `locked` if somebody else runs it
   */
  lockBatch(name: string, mode: 'send' | 'alone'): Opened<BatchStore>;
  /**
   * Opens a store for the plan of a dry run, and names the plan. Its rows are kept on this machine; a shared state is only read, to
   * compare with its batches.
   * @throws Failure `locked` if another dry run works on this machine
   */
  openShownPlan(): Opened<{ readonly store: BatchStore; readonly name: string }>;
  /** True if a command runs this batch now, on this machine or on one that shares the state. */
  isAtWork(batch: string): Promise<boolean>;
  /** True if a database failover may have lost what was sent of this batch, and nobody has decided about it yet. */
  isInDoubt(batch: string): Promise<boolean>;
  /** The rows of all batches with this reference, to check a single create. */
  rowsOfReference(
    filter: Pick<BatchFacts, 'environment' | 'direction'>,
    referenceMark: Uint8Array,
  ): Promise<OtherRow[]>;
  /** The rows of all batches that have one of these operations. Removes no old bodies, because an answered create waits for the result. */
  holders(operations: readonly string[]): Promise<Holder[]>;
  /**
   * Opens a checkpoint that no other run may use.
   * @throws Failure `locked` if another run uses it, `unsafe` for a checkpoint of another address or environment
   */
  lockCheckpoint(namedCheckpoint: NamedCheckpoint): Opened<OpenCheckpoint>;
  /** Drops the checkpoints of feeds for which `isGone` is true; returns how many. */
  dropCheckpoints(isGone: (place: FeedPlace) => boolean): Promise<number>;
}
