/** Lists that come in pages: which cursor leads on, where the list ends, and cursors that run in a circle. One walk for all. Pure but for its ports. */
import { jsonIn, utf8In, type Range } from './json.js';

/** A page as far as a walk looks at it. */
export interface Paged {
  /** The cursor behind it; null where the service names no place to go on from. */
  readonly next: string | null;
}

export interface PageVisit<P extends Paged> {
  readonly page: P;
  /** The cursor behind this page; the page's own where the service names none, or the same again: what it holds will come again. */
  readonly next: string | null;
  /** The element right before `next`, as far as it is known. */
  readonly last: string | null;
  /** What of this page was read before: it comes again where the cursor stands still. */
  readonly again: ReadonlySet<string>;
  /** Nothing more is there for now. */
  readonly isEnd: boolean;
}

export interface PagesOptions<P extends Paged> {
  /** One page, behind that cursor (null: from the start). Rejects where the walk has to end. */
  readonly fetch: (cursor: string | null, signal: AbortSignal) => Promise<P>;
  readonly from: string | null;
  /** The element right before `from`: some services begin a page with it. */
  readonly last?: string | null | undefined;
  /** The ids of a page's elements, in order. */
  readonly idsOf: (page: P) => readonly string[];
  /** The next page is asked for before this one is handed over, so that both are under way at once. */
  readonly asksAhead: boolean;
  /** Waits at the end of the list, or at a cursor where it is stuck; then the walk asks again. Null: the walk ends there. */
  readonly waitAtEnd: ((stuckAt: string | null) => Promise<void>) | null;
  /** What is thrown for cursors in a circle, after the page that closes it, and for a list that is stuck. */
  readonly fault: (why: 'circle' | 'stuck') => Error;
  readonly signal: AbortSignal;
}

/** After so many pages in a row that hold nothing new, each with a new cursor, an empty one is an end: some services make a cursor each time. */
const IDLE_PAGES_MAX = 100;
/** How many elements before the page in hand are remembered: what comes again is among the last. */
const READ_MAX = 1000;
/** How many cursors are remembered; a circle of more pages than that is not noticed. */
const CURSORS_MAX = 65_536;

/**
 * The pages in their order. The end is a null cursor, an empty page whose cursor stands still, or one of which all was read before.
 * A page that holds something new and stands still is asked for once more; the list is stuck where that stands still too, whatever it holds.
 * @throws what `fault` makes, what `fetch` throws, the signal's reason
 */
export async function* walkPages<P extends Paged>(
  options: PagesOptions<P>,
): AsyncGenerator<PageVisit<P>, void, void> {
  const { signal, asksAhead, waitAtEnd, idsOf, fault } = options;
  const leaving = new AbortController();
  const ending = AbortSignal.any([signal, leaving.signal]);
  const ask = (cursor: string | null): Promise<P> => {
    const asked = options.fetch(cursor, ending);
    // It is awaited later, and rejects there; until then nobody handles it.
    asked.catch(() => undefined);
    return asked;
  };
  let cursor = options.from;
  let last = options.last ?? null;
  let seen = new Set([cursor]);
  /** What stands before the page in hand, as far back as is remembered. */
  let read: readonly string[] = [];
  let idlePages = 0;
  let stands = false as boolean;
  try {
    for (let asked = ask(cursor); ;) {
      const page = await asked;
      signal.throwIfAborted();
      const ids = idsOf(page);
      const lastAt = last === null ? -1 : ids.lastIndexOf(last);
      const isKnown = (id: string, at: number): boolean => at <= lastAt || read.includes(id);
      const moves = page.next !== null && page.next !== cursor;
      const again = new Set(moves && !stands ? [] : ids.filter(isKnown));
      if (moves && seen.has(page.next)) {
        yield { page, next: cursor, last, again, isEnd: false };
        throw fault('circle');
      }
      // Of most pages the last element is new.
      const isNew = ids.findLastIndex((id, at) => !isKnown(id, at)) !== -1;
      idlePages = isNew ? 0 : idlePages + 1;
      const isIdle = idlePages >= IDLE_PAGES_MAX;
      const isStuck = moves ? isIdle && ids.length > 0 : stands && page.next !== null;
      const isEnd = !isStuck && (moves ? isIdle : !isNew || page.next === null);
      stands = !moves && !isEnd;
      if (moves) [cursor, last] = [page.next, ids.at(-1) ?? last];
      if (isEnd || seen.size >= CURSORS_MAX) seen = new Set();
      seen.add(cursor);
      read = [...read.slice(-READ_MAX), ...ids];
      const goesOn = !isEnd && !isStuck;
      if (goesOn && asksAhead) asked = ask(cursor);
      yield { page, next: cursor, last, again, isEnd };
      if (!goesOn) {
        if (isStuck && waitAtEnd === null) throw fault('stuck');
        if (waitAtEnd === null) return;
        idlePages = 0;
        await waitAtEnd(isStuck ? cursor : null);
      } else if (asksAhead) continue;
      asked = ask(cursor);
    }
  } finally {
    leaving.abort();
  }
}

/** The value of `next_cursor`: null where the page names none, undefined where it is no text. */
export function readCursor(body: Uint8Array, range: Range | null | undefined): string | null | undefined {
  if (range === null || range === undefined) return null;
  const value = jsonIn(utf8In(body, range.start, range.end));
  if (value === null || value === '') return null;
  return typeof value === 'string' ? value : undefined;
}
