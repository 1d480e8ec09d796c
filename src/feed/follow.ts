/** Hands events from the feed to a sink, in order and at least once. The position moves only past accepted events. */
import { jsonIn } from '../contract/json.js';
import { isObject } from '../contract/shape.js';
import { bytesOf, type FeedEvent, type Page, type Visit } from './walk.js';
import type { Progress } from './commit-position.js';

/** Hands events over in order, and reports each acceptance at once through `accept`. */
export type Sink = (
  page: Page,
  events: readonly FeedEvent[],
  accept: (events: readonly FeedEvent[]) => Promise<void>,
) => Promise<void>;

export interface FollowOptions {
  readonly visits: AsyncIterable<Visit>;
  readonly progress: Progress;
  readonly sink: Sink;
  readonly selects?: ((page: Page, event: FeedEvent) => boolean) | null;
  readonly onPage?: (count: number, isEnd: boolean) => Promise<void>;
}

/** At the end or after an error, commits the position of the last accepted event. */
export async function follow(options: FollowOptions): Promise<number> {
  const { progress, selects = null, sink } = options;
  let count = 0;
  try {
    for await (const { page, next, last, repeatedIds, isEnd } of options.visits) {
      const newEvents = page.events.filter(({ id }) => !repeatedIds.has(id) && !progress.has(id));
      const selectedEvents = selects === null ? newEvents : newEvents.filter((event) => selects(page, event));
      let remaining = selectedEvents.length;
      if (remaining > 0) {
        await sink(page, selectedEvents, async (events) => {
          progress.accept(events.map(({ id }) => id));
          count += events.length;
          remaining -= events.length;
          // After the last event of a page, the commit below includes the next cursor.
          if (remaining > 0) await progress.commitIfDue();
        });
      }
      if (selects !== null) progress.accept(newEvents.map(({ id }) => id));
      progress.moveTo(next, last);
      if (isEnd) await progress.flush();
      else await progress.commitIfDue();
      // Progress is not reported for a page without new events.
      if (isEnd || newEvents.length > 0) await options.onPage?.(count, isEnd);
    }
  } finally {
    await progress.flush();
  }
  return count;
}

/** An event must match every member that is set, but only one of `types`. */
export interface EventSelection {
  readonly types: readonly string[];
  readonly reference?: string | undefined;
  readonly operationId?: string | undefined;
}

/** Returns null if every event is selected, so that none has to be parsed. An event that cannot be parsed is always selected. */
export function selectionOf(selection: EventSelection): ((page: Page, event: FeedEvent) => boolean) | null {
  const { types, reference, operationId } = selection;
  if (types.length === 0 && reference === undefined && operationId === undefined) return null;
  const id = operationId?.toLowerCase();
  return (page, event) => {
    const value = jsonIn(bytesOf(page, event));
    if (!isObject(value)) return true;
    const data = (value['data'] ?? {}) as Record<string, unknown>;
    const isType = types.length === 0 || types.some((type) => type === value['type']);
    const isReference = reference === undefined || data['reference'] === reference;
    const isOperation =
      id === undefined || (typeof data['id'] === 'string' && data['id'].toLowerCase() === id);
    return isType && isReference && isOperation;
  };
}
