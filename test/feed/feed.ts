/** A feed made by hand: events with counted ids, cut into pages as a service would, or as none should. */
import { type Page, readPage } from '../../src/feed/walk.js';

/** The ids `e1` to `eN`. */
export function ids(count: number, first = 1): string[] {
  return Array.from({ length: count }, (_, index) => `e${index + first}`);
}

export function eventJson(id: string, more: Readonly<Record<string, unknown>> = {}): string {
  const data = { id: `op-${id}`, amount: '10.00', reference: `ref-${id}`, ...more };
  return JSON.stringify({ id, type: 'payout.confirmed', occurred_at: '2026-09-23T15:00:00Z', data });
}

export function pageBody(events: readonly string[], next: unknown): Buffer {
  return Buffer.from(`{"events":[${events.join(',')}],"next_cursor":${JSON.stringify(next)}}`);
}

/** @throws Error where the body is no page: the test's own mistake */
export function page(events: readonly string[], next: string | null): Page {
  const read = readPage(pageBody(events, next));
  if ('problem' in read) throw new Error(read.problem);
  return read;
}

/** The same of events that are nothing but their ids. */
export const pageOfIds = (list: readonly string[], next: string | null): Page =>
  page(
    list.map((id) => eventJson(id)),
    next,
  );

/** What a service does with a cursor: `null` stands for none. */
export type Serve = (cursor: string | null) => Page;

/** Which events a page has, and the cursor that it names. */
export type Scripted = readonly [ids: string, next: string | null];

/** A feed whose pages are written down by the cursor they are asked with (`start`: none): asked again it gives its next page, and the last one stays. */
export function scripted(pages: Readonly<Record<string, Scripted | readonly Scripted[]>>): Serve {
  const counts = new Map<string, number>();
  return (cursor) => {
    const name = cursor ?? 'start';
    const given = pages[name] ?? ['', cursor];
    const all = (Array.isArray(given[0]) ? given : [given]) as readonly Scripted[];
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    const [list, next] = all[Math.min(count, all.length - 1)]!;
    return pageOfIds(list.split(' ').filter(Boolean), next);
  };
}

/** A well-behaved feed over a list that may grow: the cursor is the number of events before it. */
export function serveList(events: readonly string[], limit = 3): Serve {
  return (cursor) => {
    const from = cursor === null ? 0 : Number(cursor);
    const part = events.slice(from, from + limit);
    const next = part.length === 0 ? cursor : String(from + part.length);
    return pageOfIds(part, next);
  };
}
