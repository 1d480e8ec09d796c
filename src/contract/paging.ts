/** Lists that come in pages: which cursor leads on, where the list ends, and cursors that run in a circle. One walk for all. Pure but for its ports. */
import { jsonIn, utf8In, type Range } from './json.js';

/** A page as far as a walk looks at it. */
export interface Paged {
  /** The cursor behind it; null where the service names no place to go on from. */
  readonly next: string | null;
}

export interface PageVisit<P extends Paged> {
  readonly page: P;
  /** The cursor behind this page; the page's own where the service names none: what it holds will come again. */
  readonly next: string | null;
  /** Nothing more is there for now. */
  readonly isEnd: boolean;
}

export interface PagesOptions<P extends Paged> {
  /** One page, behind that cursor (null: from the start). Rejects where the walk has to end. */
  readonly fetch: (cursor: string | null, signal: AbortSignal) => Promise<P>;
  readonly from: string | null;
  readonly isEmpty: (page: P) => boolean;
  /** The next page is asked for before this one is handed over, so that both are under way at once. */
  readonly asksAhead: boolean;
  /** Waits at the end of the list, where the walk then asks again; null where it ends there. */
  readonly waitAtEnd: (() => Promise<void>) | null;
  /** What is thrown for cursors in a circle, after the page that closes it. */
  readonly circle: () => Error;
  readonly signal: AbortSignal;
}

/** So many empty pages in a row, each with a new cursor, are an end too: some services hand out a new one each time. */
const EMPTY_PAGES_MAX = 100;
/** How many cursors are remembered; a circle of more pages than that is not noticed. */
const CURSORS_MAX = 65_536;

/**
 * The pages in their order. A null or repeated cursor means that the end is reached; an empty page with a new cursor advances.
 * @throws what `circle` makes, what `fetch` throws, the signal's reason
 */
export async function* walkPages<P extends Paged>(
  options: PagesOptions<P>,
): AsyncGenerator<PageVisit<P>, void, void> {
  const { signal, asksAhead, waitAtEnd } = options;
  const leaving = new AbortController();
  const ending = AbortSignal.any([signal, leaving.signal]);
  const ask = (cursor: string | null): Promise<P> => {
    const asked = options.fetch(cursor, ending);
    // It is awaited later, and rejects there; until then nobody handles it.
    asked.catch(() => undefined);
    return asked;
  };
  let cursor = options.from;
  let seen = new Set([cursor]);
  let emptyPages = 0;
  try {
    for (let asked = ask(cursor); ;) {
      const page = await asked;
      signal.throwIfAborted();
      const advances = page.next !== null && page.next !== cursor;
      if (advances && seen.has(page.next)) {
        yield { page, next: cursor, isEnd: false };
        throw options.circle();
      }
      emptyPages = options.isEmpty(page) ? emptyPages + 1 : 0;
      const isEnd = !advances || emptyPages >= EMPTY_PAGES_MAX;
      if (advances) cursor = page.next;
      if (isEnd || seen.size >= CURSORS_MAX) seen = new Set();
      seen.add(cursor);
      if (!isEnd && asksAhead) asked = ask(cursor);
      yield { page, next: cursor, isEnd };
      if (isEnd) {
        if (waitAtEnd === null) return;
        emptyPages = 0;
        await waitAtEnd();
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
