import { type Range, readList } from '../contract/json.js';
import { type PageVisit, readCursor, readId, walkPages } from '../contract/paging.js';
import type { Clock } from '../runtime/clock.js';
import { type Failure, feedFault } from '../runtime/failure.js';
import type { Position } from '../storage/checkpoints/checkpoint.js';

export interface FeedEvent extends Range {
  readonly id: string;
}

export interface Page {
  readonly body: Uint8Array;
  readonly events: readonly FeedEvent[];
  readonly next: string | null;
  readonly answeredAtMs?: number | null;
  readonly isTooOld?: boolean;
}

const LIST_NAME = 'events';

export function readPage(body: Uint8Array): Page | { readonly problem: string } {
  const list = readList(body, LIST_NAME);
  if (list === null) return { problem: 'the answer has no list of events' };
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const events: FeedEvent[] = [];
  for (const { start, end } of list.elements) {
    const id = readId(bytes, start, end);
    if (id === null) return { problem: `event ${events.length + 1} of the page has no id` };
    events.push({ id, start, end });
  }
  const cursor = list.others.findLast(({ name }) => name === 'next_cursor');
  const next = readCursor(body, cursor);
  return next === undefined ? { problem: 'next_cursor is not text' } : { body, events, next };
}

export function bytesOf({ body }: Pick<Page, 'body'>, { start, end }: Range): Uint8Array {
  return body.subarray(start, end);
}

export const START: Position = { cursor: null, ids: [] };

export interface WalkOptions {
  readonly fetch: (cursor: string | null, signal: AbortSignal) => Promise<Page>;
  readonly from: string | null;
  readonly last?: Position['last'];
  readonly follows: boolean;
  readonly onStuck?: (failure: Failure) => Promise<void>;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export type Visit = PageVisit<Page>;

export function walkFeed(options: WalkOptions): AsyncGenerator<Visit, void, void> {
  const { fetch, from, last, follows, intervalMs, clock, signal, onStuck } = options;
  let reportedCursor: string | null = null;
  return walkPages({
    ...{ fetch, from, last, signal, fetchesAhead: true, fault: feedFault },
    idsOf: ({ events }) => events.map(({ id }) => id),
    waitAtEnd: follows
      ? async (stuckCursor) => {
          if (stuckCursor !== null && stuckCursor !== reportedCursor) await onStuck?.(feedFault('stuck'));
          reportedCursor = stuckCursor;
          await clock.sleep(intervalMs, signal);
        }
      : null,
  });
}

export async function findEnd(visits: AsyncIterable<Visit>): Promise<Position> {
  let position = START;
  for await (const { page, next, last, isEnd } of visits) {
    // If the cursor stays, the same page comes again, so its events count as read.
    const ids = next === position.cursor ? page.events.map(({ id }) => id) : [];
    position = { cursor: next, ids, last };
    if (isEnd) break;
  }
  return position;
}
