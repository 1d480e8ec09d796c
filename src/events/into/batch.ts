/**
 * The rows of one commit into the tables: each event once, and the newest state of each operation. They wait here until the position is
 * committed with them.
 */
import { preferred } from '../../contract/operation-facts.js';
import type { FeedEvent, Page, Position } from '../walk.js';
import { type NumberedEvent, type OperationRow, rowsOf } from './rows.js';
import type { OpenCheckpoint } from '../checkpoint.js';
import type { Sink } from '../follow.js';

export class EventBatch {
  readonly #events = new Map<string, NumberedEvent>();
  readonly #operations = new Map<string, OperationRow>();
  #count: number;
  #newest: string | null = null;
  #bytes = 0;

  /** @param count how many events were read before */
  constructor(count: number) {
    this.#count = count;
  }

  /** How many events were read, with these. */
  get count(): number {
    return this.#count;
  }

  get events(): readonly NumberedEvent[] {
    return [...this.#events.values()];
  }

  get operations(): readonly OperationRow[] {
    return [...this.#operations.values()];
  }

  /** How large what it holds was on the wire. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The operation of the latest event; null where there is none. */
  get newest(): string | null {
    return this.#newest;
  }

  add(page: Pick<Page, 'body'>, events: readonly FeedEvent[]): void {
    for (const one of events) {
      const { event, operation } = rowsOf(page, one);
      this.#count += 1;
      this.#bytes += one.end - one.start;
      // What comes again is where it came first, and as it is now.
      const number = this.#events.get(event.id)?.number ?? this.#count;
      this.#events.set(event.id, { ...event, number });
      if (operation === null) continue;
      const known = this.#operations.get(operation.id);
      this.#operations.set(operation.id, known === undefined ? operation : preferred(known, operation));
      this.#newest = operation.id;
    }
  }
}

/** The tables, while this run alone writes them. */
export interface OpenTable {
  /** Where they stand; null where they were never used. */
  readonly position: Position | null;
  /** How many events were read into them. */
  readonly count: number;
  /** An operation of theirs, by which it is proved whose they are; null where there is none. */
  readonly operation: string | null;
  /** Aborted where they are another run's, or stand elsewhere, though nothing is written: its reason is what `write` would throw. */
  readonly gone: AbortSignal;
  /** All of it and the position in one commit, durable when it resolves. @throws TableAway; Failure */
  write(batch: EventBatch, position: Position): Promise<void>;
}

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

/** After a write that failed nothing more is written: the next run asks the tables where they stand. */
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
