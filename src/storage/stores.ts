import type { BatchFacts, BatchStore } from './batches/batch-store.js';
import type { Holder, OtherRow } from './batches/row.js';
import type { NamedCheckpoint, OpenCheckpoint, FeedPlace } from './checkpoints/checkpoint.js';
import type { Journal } from './journal/journal.js';
import type { Mirrors } from './mirror/mirror.js';

export type StoreName = 'batches' | 'journal' | 'mirrors';

type Opened<S> = Promise<S & AsyncDisposable>;

/** If a method of `Stores` throws, nothing may be sent, because an earlier payment may be hidden. */
export interface Stores {
  readonly where: {
    readonly isShared: boolean;
    readonly text: string;
    readonly address: string | null;
  };
  has(store: StoreName): boolean;
  openBatches(): Opened<BatchStore>;
  openJournal(): Opened<Journal>;
  openMirrors(): Opened<Mirrors>;
  lockBatch(name: string, mode: 'send' | 'alone'): Opened<BatchStore>;
  openShownPlan(): Opened<{ readonly store: BatchStore; readonly name: string }>;
  isAtWork(batch: string): Promise<boolean>;
  hasChangedServer(batch: string): Promise<boolean>;
  rowsOfReference(
    filter: Pick<BatchFacts, 'environment' | 'direction'>,
    referenceMark: Uint8Array,
  ): Promise<OtherRow[]>;
  holders(operations: readonly string[]): Promise<Holder[]>;
  lockCheckpoint(namedCheckpoint: NamedCheckpoint): Opened<OpenCheckpoint>;
  dropCheckpoints(isGone: (place: FeedPlace) => boolean): Promise<number>;
}
