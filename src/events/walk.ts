/** Walks over the feed page by page in its order: where a reader of it stands, what it asks ahead, and where the feed ends. */
import { type PageVisit, walkPages } from '../contract/paging.js';
import type { Clock } from '../runtime/clock.js';
import { contractBroken } from '../runtime/failure.js';
import type { Page } from './page.js';

/** Behind a cursor, and behind some events of the page that follows it. */
export interface Position {
  /** Null: the start of the feed. */
  readonly cursor: string | null;
  /** The events behind the cursor that were accepted already, in feed order. */
  readonly ids: readonly string[];
}

export const START: Position = { cursor: null, ids: [] };

export interface WalkOptions {
  /** One page, behind that cursor (null: from the start). Rejects where the walk has to end. */
  readonly fetch: (cursor: string | null, signal: AbortSignal) => Promise<Page>;
  readonly from: string | null;
  /** Asks again at the end of the feed, after `intervalMs`; without it the walk ends there. */
  readonly follows: boolean;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export type Visit = PageVisit<Page>;

/** The pages in feed order. @throws Failure `defect` for cursors in a circle; what `fetch` throws; the signal's reason */
export function walkFeed(options: WalkOptions): AsyncGenerator<Visit, void, void> {
  const { fetch, from, follows, intervalMs, clock, signal } = options;
  return walkPages({
    ...{ fetch, from, signal, asksAhead: true },
    isEmpty: ({ events }) => events.length === 0,
    waitAtEnd: follows ? () => clock.sleep(intervalMs, signal) : null,
    circle: () => contractBroken('its cursors run in a circle'),
  });
}

/**
 * The position behind everything that has happened so far.
 * @param visits from the start of the feed to its end; nothing of it is handed over
 */
export async function findEnd(visits: AsyncIterable<Visit>): Promise<Position> {
  let end = START;
  for await (const { page, next } of visits) {
    // Where the cursor stays, the page comes again: what is in it has happened already.
    const ids = next === end.cursor ? page.events.map(({ id }) => id) : [];
    end = { cursor: next, ids };
  }
  return end;
}
