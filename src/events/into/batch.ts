/** Collects the rows of one commit to the tables: each event once, and the newest state of each operation. The position is committed with them. */
import { chooseEvent } from '../../contract/operation-facts.js';
import type { FeedEvent, Page } from '../../feed/walk.js';
import { type NumberedEvent, type OperationRow, rowsOf } from './rows.js';
import type { OpenCheckpoint, Position } from '../../storage/checkpoints/checkpoint.js';
import type { Sink } from '../../feed/follow.js';

export class EventBatch {
  readonly #events = new Map<string, NumberedEvent>();
  readonly #operations = new Map<string, OperationRow>();
  #count: number;
  #newest: string | null = null;
  #bytes = 0;

  /** @param count the number of events read before */
  constructor(count: number) {
    this.#count = count;
  }

  /** The number of events read so far, with those of this batch. */
  get count(): number {
    return this.#count;
  }

  get events(): readonly NumberedEvent[] {
    return [...this.#events.values()];
  }

  get operations(): readonly OperationRow[] {
    return [...this.#operations.values()];
  }

  /** The size of the events in the service's answers. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The id of the operation that the latest events are about; null if no event has an operation. */
  get newestOperation(): string | null {
    return this.#newest;
  }

  add(page: Pick<Page, 'body'>, events: readonly FeedEvent[]): void {
    for (const one of events) {
      const { event, operation } = rowsOf(page, one);
      this.#count += 1;
      this.#bytes += one.end - one.start;
      // A repeated event keeps its first number and gets its new content.
      const number = this.#events.get(event.id)?.number ?? this.#count;
      this.#events.set(event.id, { ...event, number });
      if (operation === null) continue;
      const oldState = this.#operations.get(operation.id);
      this.#operations.set(
        operation.id,
        oldState === undefined ? operation : chooseEvent(oldState, operation),
      );
      this.#newest = operation.id;
    }
  }
}

/** The tables, while this run is the only writer. */
export interface OpenTable {
  /** The position of the last commit; null for new tables. */
  readonly position: Position | null;
  /** The number of events in the tables. */
  readonly count: number;
  /** The id of one operation in the tables, with which a run proves whose feed they hold; null if there is none. */
  readonly operation: string | null;
  /** Aborts if another run took the tables or their position changed, even between writes. Its reason is the error that `write` would throw. */
  readonly loss: AbortSignal;
  /** Writes the batch and the position in one commit, durable when it resolves. @throws TableAway; Failure */
  write(batch: EventBatch, position: Position): Promise<void>;
}

export interface TableFiller {
  readonly sink: Sink;
  /** True if the waiting events have reached the limit of bytes, however few they are. */
  isFull(): boolean;
  /** `save` writes the events with the position. It resolves before that write is durable: the next `save` or `end` waits for it. */
  readonly checkpoint: OpenCheckpoint;
  /** Aborts if the tables are lost, or a write failed that nobody waits for. The reason says why. */
  readonly loss: AbortSignal;
  /** Resolves once everything saved is durable. @throws what a write threw */
  end(): Promise<void>;
}

/** A commit is due if the waiting events have this size. While they are written, events of the same size may be read. */
const BYTES_MAX = 4 << 20;

/** Writes batches in the background, one at a time. After a failed write nothing more is written: the next run asks the tables for their position. */
export function tableFillerOf(table: OpenTable): TableFiller {
  let batch = new EventBatch(table.count);
  let pendingWrite: Promise<void> = Promise.resolve();
  const failure = new AbortController();
  return {
    loss: AbortSignal.any([table.loss, failure.signal]),
    isFull: () => batch.bytes >= BYTES_MAX,
    sink: async (page, events, accept) => {
      batch.add(page, events);
      await accept(events);
    },
    checkpoint: {
      position: table.position,
      notes: [],
      save: async (position) => {
        // The position belongs to the events of this batch; later events belong to the next one.
        const batchToWrite = batch;
        batch = new EventBatch(batchToWrite.count);
        const earlierWrite = pendingWrite;
        pendingWrite = earlierWrite.then(() => table.write(batchToWrite, position));
        // At the end of the feed nobody else would report the error until the next event.
        pendingWrite.catch((error: unknown) => {
          failure.abort(error);
        });
        // Reading may be one batch ahead of writing, and no more.
        await earlierWrite;
      },
    },
    end: () => pendingWrite,
  };
}
