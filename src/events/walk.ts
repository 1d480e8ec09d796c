/** Walks over the feed page by page in its order: asks ahead, knows where it ends, and notices cursors that run in a circle. */
import type { Clock } from '../runtime/clock.js';
import { Failure } from '../runtime/failure.js';
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

export interface Visit {
  readonly page: Page;
  /** The cursor behind this page; the page's own where the service names none: what it holds will come again. */
  readonly next: string | null;
  /** Nothing more is there for now. */
  readonly isEnd: boolean;
}

/** So many empty pages in a row, each with a new cursor, are an end too: some services hand out a new one each time. */
const EMPTY_PAGES_MAX = 100;
/** How many cursors are remembered; a circle of more pages than that is not noticed. */
const CURSORS_MAX = 65_536;

/**
 * The pages in feed order. The next page is asked for before this one is handed over, so that both are under way at once.
 * A null or repeated cursor means that the end is reached; an empty page with a new cursor advances.
 * @throws Failure `defect` for cursors in a circle, after the page that closes it; what `fetch` throws; the signal's reason
 */
export async function* walkFeed(options: WalkOptions): AsyncGenerator<Visit, void, void> {
  const { clock, signal, follows, intervalMs } = options;
  const leaving = new AbortController();
  const ending = AbortSignal.any([signal, leaving.signal]);
  const ask = (cursor: string | null): Promise<Page> => {
    const asked = options.fetch(cursor, ending);
    // Whoever awaits it later gets the rejection; until then nobody does.
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
        throw circle();
      }
      emptyPages = page.events.length === 0 ? emptyPages + 1 : 0;
      const isEnd = !advances || emptyPages >= EMPTY_PAGES_MAX;
      if (advances) cursor = page.next;
      if (isEnd || seen.size >= CURSORS_MAX) seen = new Set();
      seen.add(cursor);
      if (!isEnd) asked = ask(cursor);
      yield { page, next: cursor, isEnd };
      if (!isEnd) continue;
      if (!follows) return;
      emptyPages = 0;
      await clock.sleep(intervalMs, signal);
      asked = ask(cursor);
    }
  } finally {
    leaving.abort();
  }
}

function circle(): Failure {
  return new Failure('defect', 'The service broke its contract: its cursors run in a circle.', {
    code: 'contract_broken',
    outcome: 'sent',
  });
}
