/** Carries the feed from the walk to whoever accepts it: at least once, in order, and the position moves only past what was accepted. */
import type { FeedEvent, Page } from './page.js';
import type { Progress } from './progress.js';
import type { Visit } from './walk.js';

/**
 * Hands events over, in their order, and says which of them were accepted as soon as they are.
 * Rejects where the next one can't be handed over: nothing behind it counts as accepted then.
 */
export type Sink = (
  page: Page,
  events: readonly FeedEvent[],
  accept: (events: readonly FeedEvent[]) => void,
) => Promise<void>;

export interface FollowOptions {
  readonly visits: AsyncIterable<Visit>;
  readonly progress: Progress;
  readonly sink: Sink;
  /** Which events are handed over; every other one counts as accepted. */
  readonly selects?: ((page: Page, event: FeedEvent) => boolean) | null;
  /** After each page, with the number of events handed over so far. */
  readonly onPage?: (count: number, isEnd: boolean) => Promise<void>;
}

/**
 * Follows until the visits end, or something fails; whatever happens, the position of the last accepted event is committed.
 * @returns how many events were handed over
 * @throws what the walk, the sink and the commits throw
 */
export async function follow(options: FollowOptions): Promise<number> {
  const { progress, selects = null, sink } = options;
  let count = 0;
  try {
    for await (const { page, next, isEnd } of options.visits) {
      const fresh = page.events.filter(({ id }) => !progress.has(id));
      const chosen = selects === null ? fresh : fresh.filter((event) => selects(page, event));
      let left = chosen.length;
      if (left > 0) {
        await sink(page, chosen, (events) => {
          progress.accept(events.map(({ id }) => id));
          count += events.length;
          left -= events.length;
          // Behind the last one the cursor moves, and that is what is committed.
          if (left > 0) progress.settle();
        });
      }
      if (selects !== null) progress.accept(fresh.map(({ id }) => id));
      progress.turn(next);
      if (isEnd) progress.flush();
      else progress.settle();
      await options.onPage?.(count, isEnd);
    }
  } finally {
    progress.flush();
  }
  return count;
}
