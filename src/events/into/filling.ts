/**
 * Puts events into tables as they are read: what was handed over waits here until its position is committed, and goes with it in one. After
 * a write that failed nothing more is written: the next run asks the tables where they stand.
 */
import type { OpenCheckpoint } from '../checkpoint.js';
import type { Sink } from '../follow.js';
import { EventBatch } from './batch.js';
import type { OpenTable } from './table.js';

export interface Filling {
  readonly sink: Sink;
  /** What waits is large, however few events it is. */
  isFull(): boolean;
  /** To save it writes the events before it too; that is done when the next one is saved, or at the end. */
  readonly checkpoint: OpenCheckpoint;
  /** Aborted where the tables are gone, or a write failed that nobody waits for: its reason says why. */
  readonly gone: AbortSignal;
  /** Everything that was saved is durable. @throws what a write threw */
  end(): Promise<void>;
}

/** Of the events that wait; while they are written there may be as many more. */
const BYTES_MAX = 4 << 20;

export function fillingOf(table: OpenTable): Filling {
  let batch = new EventBatch(table.count);
  let writing: Promise<void> = Promise.resolve();
  const failed = new AbortController();
  return {
    gone: AbortSignal.any([table.gone, failed.signal]),
    isFull: () => batch.bytes >= BYTES_MAX,
    sink: async (page, events, accept) => {
      batch.add(page, events);
      await accept(events);
    },
    checkpoint: {
      position: table.position,
      notes: [],
      save: async (position) => {
        // The position is behind what is in the batch now; what comes meanwhile belongs to the next one.
        const full = batch;
        batch = new EventBatch(full.count);
        const before = writing;
        writing = before.then(() => table.write(full, position));
        // At the end of the feed nothing else would tell of it until the next event.
        writing.catch((error: unknown) => {
          failed.abort(error);
        });
        // The next page is read while this one is written, and no more than that.
        await before;
      },
    },
    end: () => writing,
  };
}
