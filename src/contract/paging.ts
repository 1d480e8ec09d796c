import { jsonIn, memberAt, decodeUtf8, type Range } from './json.js';

export interface CursorPage {
  readonly next: string | null;
}

export interface PageVisit<P extends CursorPage> {
  readonly page: P;
  readonly next: string | null;
  readonly last: string | null;
  readonly repeatedIds: ReadonlySet<string>;
  readonly isEnd: boolean;
}

export interface PagesOptions<P extends CursorPage> {
  readonly fetch: (cursor: string | null, signal: AbortSignal) => Promise<P>;
  readonly from: string | null;
  readonly last?: string | null | undefined;
  readonly idsOf: (page: P) => readonly string[];
  readonly fetchesAhead: boolean;
  readonly waitAtEnd: ((stuckAt: string | null) => Promise<void>) | null;
  readonly fault: (why: 'circle' | 'stuck') => Error;
  readonly signal: AbortSignal;
}

/** Some services give a new cursor even at the end, so the list ends after this many pages without a new element. */
const IDLE_PAGES_MAX = 100;
const SEEN_IDS_MAX = 1000;
const CURSORS_MAX = 65_536;

export async function* walkPages<P extends CursorPage>(
  options: PagesOptions<P>,
): AsyncGenerator<PageVisit<P>, void, void> {
  const { signal, fetchesAhead, waitAtEnd, idsOf, fault } = options;
  const walkEnd = new AbortController();
  const fetchSignal = AbortSignal.any([signal, walkEnd.signal]);
  const startFetch = (cursor: string | null): Promise<P> => {
    const promise = options.fetch(cursor, fetchSignal);
    // Node would report an unhandled rejection, because the loop awaits the promise only later.
    promise.catch(() => undefined);
    return promise;
  };
  let cursor = options.from;
  let last = options.last ?? null;
  let seenCursors = new Set([cursor]);
  let seenIds: readonly string[] = [];
  let idlePages = 0;
  let isCursorStanding = false as boolean;
  try {
    for (let promise = startFetch(cursor); ;) {
      const page = await promise;
      signal.throwIfAborted();
      const ids = idsOf(page);
      const lastAt = last === null ? -1 : ids.lastIndexOf(last);
      const isReadBefore = (id: string, at: number): boolean => at <= lastAt || seenIds.includes(id);
      const hasNewCursor = page.next !== null && page.next !== cursor;
      const repeatedIds = new Set(hasNewCursor && !isCursorStanding ? [] : ids.filter(isReadBefore));
      if (hasNewCursor && seenCursors.has(page.next)) {
        yield { page, next: cursor, last, repeatedIds, isEnd: false };
        throw fault('circle');
      }
      const hasNewElement = ids.findLastIndex((id, at) => !isReadBefore(id, at)) !== -1;
      idlePages = hasNewElement ? 0 : idlePages + 1;
      const isIdle = idlePages >= IDLE_PAGES_MAX;
      const isStuck = hasNewCursor ? isIdle && ids.length > 0 : isCursorStanding && page.next !== null;
      const isEnd = !isStuck && (hasNewCursor ? isIdle : !hasNewElement || page.next === null);
      isCursorStanding = !hasNewCursor && !isEnd;
      if (hasNewCursor) [cursor, last] = [page.next, ids.at(-1) ?? last];
      if (isEnd || seenCursors.size >= CURSORS_MAX) seenCursors = new Set();
      seenCursors.add(cursor);
      seenIds = [...seenIds.slice(-SEEN_IDS_MAX), ...ids];
      const isGoingOn = !isEnd && !isStuck;
      if (isGoingOn && fetchesAhead) promise = startFetch(cursor);
      yield { page, next: cursor, last, repeatedIds, isEnd };
      if (!isGoingOn) {
        if (isStuck && waitAtEnd === null) throw fault('stuck');
        if (waitAtEnd === null) return;
        idlePages = 0;
        await waitAtEnd(isStuck ? cursor : null);
      } else if (fetchesAhead) continue;
      promise = startFetch(cursor);
    }
  } finally {
    walkEnd.abort();
  }
}

export function readCursor(body: Uint8Array, range: Range | null | undefined): string | null | undefined {
  if (range === null || range === undefined) return null;
  const value = jsonIn(decodeUtf8(body, range.start, range.end));
  if (value === null || value === '') return null;
  return typeof value === 'string' ? value : undefined;
}

const [OPEN_OBJECT, QUOTE, BACKSLASH] = [0x7b, 0x22, 0x5c];
const ID_FIRST = Buffer.from('{"id":"');

export function readId(bytes: Buffer, start: number, end: number): string | null {
  if (bytes[start] !== OPEN_OBJECT) return null;
  const idStart = start + ID_FIRST.length;
  if (ID_FIRST.compare(bytes, start, Math.min(idStart, end)) === 0) {
    let at = idStart;
    while (bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) at += 1;
    if (bytes[at] === QUOTE) return at === idStart ? null : bytes.toString('utf8', idStart, at);
  }
  const event = bytes.subarray(start, end);
  const range = memberAt(event, 'id');
  const id = range === null ? null : jsonIn(event.toString('utf8', range.start, range.end));
  return typeof id === 'string' && id !== '' ? id : null;
}
