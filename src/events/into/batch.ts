import { chooseEvent } from '../../contract/operation-facts.js';
import type { FeedEvent, Page } from '../../feed/walk.js';
import { type NumberedEvent, type OperationRow, rowsOf } from './rows.js';
import type { Position } from '../../storage/checkpoints/checkpoint.js';
import type { Sink } from '../../feed/follow.js';

export class EventBatch {
  readonly #events = new Map<string, NumberedEvent>();
  readonly #operations = new Map<string, OperationRow>();
  newestOperation: string | null = null;
  bytes = 0;

  constructor(public lastNumber: number) {}

  get events(): readonly NumberedEvent[] {
    return [...this.#events.values()];
  }

  get operations(): readonly OperationRow[] {
    return [...this.#operations.values()];
  }

  add(page: Pick<Page, 'body'>, events: readonly FeedEvent[]): void {
    for (const feedEvent of events) {
      const { event, operation } = rowsOf(page, feedEvent);
      this.lastNumber += 1;
      this.bytes += feedEvent.end - feedEvent.start;
      const number = this.#events.get(event.id)?.number ?? this.lastNumber;
      this.#events.set(event.id, { ...event, number });
      if (operation === null) continue;
      const oldState = this.#operations.get(operation.id);
      const newState = oldState === undefined ? operation : chooseEvent(oldState, operation);
      this.#operations.set(operation.id, newState);
      this.newestOperation = operation.id;
    }
  }
}

export interface OpenTable {
  readonly position: Position | null;
  readonly count: number;
  readonly newestOperation: string | null;
  readonly loss: AbortSignal;
  write(batch: EventBatch, position: Position): Promise<void>;
}

const BYTES_MAX = 4 << 20;

export function tableFillerOf(table: OpenTable) {
  let batch = new EventBatch(table.count);
  let pendingWrite: Promise<void> = Promise.resolve();
  const failure = new AbortController();
  return {
    loss: AbortSignal.any([table.loss, failure.signal]),
    isFull: (): boolean => batch.bytes >= BYTES_MAX,
    sink: (async (page, events, accept) => {
      batch.add(page, events);
      await accept(events);
    }) satisfies Sink,
    checkpoint: {
      position: table.position,
      notes: [],
      /** Resolves before its write is durable: the next `save` or `end` waits for that write. */
      save: async (position: Position): Promise<void> => {
        // Replaces `batch` before the first `await`, because later events must not be committed with this position.
        const batchToWrite = batch;
        batch = new EventBatch(batchToWrite.lastNumber);
        const earlierWrite = pendingWrite;
        pendingWrite = earlierWrite.then(() => table.write(batchToWrite, position));
        pendingWrite.catch((error: unknown) => {
          failure.abort(error);
        });
        await earlierWrite;
      },
    },
    end: (): Promise<void> => pendingWrite,
  };
}
