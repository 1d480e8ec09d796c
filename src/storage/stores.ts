import type { BatchStore } from './batches/batch-store.js';
import type { BatchFacts } from './batches/batch.js';
import type { Holder, OtherRow } from './batches/row.js';
import type { NamedCheckpoint, OpenCheckpoint, FeedPlace } from './checkpoints/checkpoint.js';
import type { Journal } from './journal/journal.js';
import type { Mirrors } from './mirror/mirror.js';

export type StoreName = 'batches' | 'journal' | 'mirrors';

type Opened<S> = Promise<S & AsyncDisposable>;

/** The caller disposes what it opens. If a method throws, nothing may be sent. */
export interface Stores {
  readonly where: {
    readonly isShared: boolean;
    readonly text: string;
    /** The database's address without its password. Null for files. */
    readonly address: string | null;
  };
  /** False if the store does not exist yet, so that opening would create it. */
  has(store: StoreName): boolean;
  /** Also removes request bodies that nothing needed for 30 days. */
  openBatches(): Opened<BatchStore>;
  openJournal(): Opened<Journal>;
  openMirrors(): Opened<Mirrors>;
  /**
   * Opens the batches, and lets no other command run the batch `name`.
   * With mode `send`, machines that share the state may run it together.
   */
  lockBatch(name: string, mode: 'send' | 'alone'): Opened<BatchStore>;
  /**
   * A dry run keeps its rows on this machine. It only reads a shared state, to compare the rows
   * with other batches.
   */
  openShownPlan(): Opened<{ readonly store: BatchStore; readonly name: string }>;
  /** True if a command runs this batch now, on this machine or on one that shares the state. */
  isAtWork(batch: string): Promise<boolean>;
  /** True if a database failover may have lost results of this batch and nobody has decided yet. */
  isInDoubt(batch: string): Promise<boolean>;
  rowsOfReference(
    filter: Pick<BatchFacts, 'environment' | 'direction'>,
    referenceMark: Uint8Array,
  ): Promise<OtherRow[]>;
  /** Does not remove old bodies, because a create waits for the result. */
  holders(operations: readonly string[]): Promise<Holder[]>;
  /** Opens a checkpoint that no other run may use. */
  lockCheckpoint(namedCheckpoint: NamedCheckpoint): Opened<OpenCheckpoint>;
  dropCheckpoints(isGone: (place: FeedPlace) => boolean): Promise<number>;
}
