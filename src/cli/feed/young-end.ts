/** The end of the feed, as young as the service: an end that something in between has kept would hide who was paid since. */
import { LIMITS, SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import type { Page } from '../../events/walk.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import type { Where } from '../line/where.js';
import { hear, type SessionRun } from '../session/session.js';
import type { EventSource } from './event-source.js';

/** One of so many limits is asked for: what keeps pages has kept none with it. */
const OTHER_LIMITS = 100;

/**
 * The same source. Where a page that ends the feed is older than the service, it is asked for once more with another limit.
 * @returns a source that rejects also with Failure `unsafe` (`feed_unreadable`) for an end that is old then too
 */
export function withYoungEnd(fetch: EventSource, run: SessionRun<Where>): EventSource {
  const isOldEnd = async (page: Page, cursor: string | null): Promise<boolean> =>
    mayEnd(page, cursor) && (page.hasWaited === true || (await isOld(page, run)));
  return async (cursor, signal) => {
    const page = await fetch(cursor, signal);
    if (!(await isOldEnd(page, cursor))) return page;
    const other = LIMITS.eventsPageMax - 1 - Math.floor(run.ports.random.fraction() * OTHER_LIMITS);
    const again = await fetch(cursor, signal, other);
    if (!(await isOldEnd(again, cursor))) return again;
    throw oldEnd(again);
  };
}

function mayEnd({ events, next }: Page, cursor: string | null): boolean {
  return next === null || next === cursor || events.length === 0;
}

/** What does not say when it was true is not known to be old, nor is anything where the service does not say what time it is. */
async function isOld({ answeredAtMs = null }: Page, run: SessionRun<Where>): Promise<boolean> {
  if (answeredAtMs === null) return false;
  await hear(run);
  const { clock } = run.session;
  const nowMs = clock.isHeard() ? clock.moment().serviceMs : null;
  // Servers of one service may be that far apart.
  return nowMs !== null && answeredAtMs < nowMs - SERVICE_CLOCKS_MS;
}

function oldEnd({ answeredAtMs = null }: Page): Failure {
  const when = answeredAtMs === null ? '' : ` from ${isoSeconds(answeredAtMs)}`;
  return new Failure(
    'unsafe',
    `Something between this machine and the service answers with an old copy of the events${when}. Later payments are not in it.`,
    { code: 'feed_unreadable', outcome: 'sent', retryable: true },
  );
}
