/** What goes into the tables in one commit: each event once, and of each operation what counts. */
import { preferred } from '../../contract/operation-facts.js';
import type { FeedEvent, Page } from '../walk.js';
import { type EventRow, type OperationRow, rowsOf } from './rows.js';

export interface NumberedEvent extends EventRow {
  /** Its place in the feed, as it was read here: 1 for the first. */
  readonly number: number;
}

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
