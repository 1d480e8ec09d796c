/** Walks over the feed page by page in its order: asks ahead, and knows where it ends. */
import { walkPages, type PageVisit } from '../contract/paging.js';
import type { Clock } from '../runtime/clock.js';
import { contractBroken } from '../runtime/failure.js';
import type { Page } from './page.js';

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
