import { type Page, readPage } from '../../src/feed/walk.js';

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

export function page(events: readonly string[], next: string | null): Page {
  const read = readPage(pageBody(events, next));
  if ('problem' in read) throw new Error(read.problem);
  return read;
}

export const pageOfIds = (list: readonly string[], next: string | null): Page =>
  page(
    list.map((id) => eventJson(id)),
    next,
  );

export type Serve = (cursor: string | null) => Page;

export type Scripted = readonly [ids: string, next: string | null];

/** Each key of `pages` is a cursor (`start`: no cursor). A cursor that is asked for again gives its next page; the last page repeats. */
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

/** The cursor is the number of events before the page. The list may grow. */
export function serveList(events: readonly string[], limit = 3): Serve {
  return (cursor) => {
    const from = cursor === null ? 0 : Number(cursor);
    const part = events.slice(from, from + limit);
    const next = part.length === 0 ? cursor : String(from + part.length);
    return pageOfIds(part, next);
  };
}
