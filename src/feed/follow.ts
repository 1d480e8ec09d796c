import { jsonIn } from '../contract/json.js';
import { isObject } from '../contract/shape.js';
import { bytesOf, type FeedEvent, type Page, type Visit } from './walk.js';
import type { Progress } from './commit-position.js';

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

export async function follow(options: FollowOptions): Promise<number> {
  const { visits, progress, selects = null, sink, onPage } = options;
  let count = 0;
  try {
    for await (const { page, next, last, repeatedIds, isEnd } of visits) {
      const newEvents = page.events.filter(({ id }) => !repeatedIds.has(id) && !progress.has(id));
      const selectedEvents = selects === null ? newEvents : newEvents.filter((event) => selects(page, event));
      let remaining = selectedEvents.length;
      if (remaining > 0) {
        await sink(page, selectedEvents, async (events) => {
          progress.accept(events.map(({ id }) => id));
          count += events.length;
          remaining -= events.length;
          if (remaining > 0) await progress.commitIfDue();
        });
      }
      if (selects !== null) progress.accept(newEvents.map(({ id }) => id));
      progress.moveTo(next, last);
      if (isEnd) await progress.flush();
      else await progress.commitIfDue();
      if (isEnd || newEvents.length > 0) await onPage?.(count, isEnd);
    }
  } finally {
    await progress.flush();
  }
  return count;
}

export interface EventSelection {
  readonly types: readonly string[];
  readonly reference?: string | undefined;
  readonly operationId?: string | undefined;
}

export function selectionOf(selection: EventSelection): ((page: Page, event: FeedEvent) => boolean) | null {
  const { types, reference, operationId } = selection;
  if (types.length === 0 && reference === undefined && operationId === undefined) return null;
  const id = operationId?.toLowerCase();
  return (page, event) => {
    const value = jsonIn(bytesOf(page, event));
    if (!isObject(value)) return true;
    const data = (value['data'] ?? {}) as Record<string, unknown>;
    const isOfType = types.length === 0 || types.some((type) => type === value['type']);
    const isOfReference = reference === undefined || data['reference'] === reference;
    const isOfOperation =
      id === undefined || (typeof data['id'] === 'string' && data['id'].toLowerCase() === id);
    return isOfType && isOfReference && isOfOperation;
  };
}
