/** The mirror of the company that a session acts for: proved by what it knows, then brought up to date from the service's feed. */
import { walkFeed, type Page } from '../../events/walk.js';
import { findCompany, type ReadOperation } from '../../mirror/company.js';
import type { Company, Mirror, Mirrors, Place } from '../../mirror/mirror.js';
import { provedMirror, type ProvedMirror, type Proving } from '../../mirror/proved.js';
import { catchUp, type PagesFrom, syncMirror, type SyncOptions, type SyncReport } from '../../mirror/sync.js';
import { lookUp } from '../call/looking-up.js';
import type { Where } from '../line/where.js';
import { senderOf } from '../session/address.js';
import { type SessionRun, askServiceTime } from '../session/session.js';
import { type EventSource, eventSource } from './event-source.js';
import { storesOf } from '../stores/stores-of-run.js';
import { LIMITS, SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';

export interface OpenMirror {
  readonly company: Company;
  /** Nothing was known of this company before. */
  readonly isNew: boolean;
  /** To show what is known: what decides about money asks `proved`. */
  readonly mirror: Mirror;
  readonly proved: ProvedMirror;
  /** Those of every company; `close` closes them. */
  readonly mirrors: Mirrors;
  readonly place: Place;
  /** Asks the service about an operation: for proofs. @throws Failure by the table of exit codes; Stopped */
  readonly read: ReadOperation;
  /**
   * Reads on to the end of the feed. Whatever ends it before, what was read is kept.
   * @throws Failure by the table of exit codes; `feed_unreadable`: `defect` for an event that can't be understood, `unsafe` for an old end; Stopped
   */
  sync(onPage?: SyncOptions['onPage']): Promise<SyncReport>;
  /** The same for what has come since it was read, however old its end: enough to find something, and to decide nothing. */
  catchUp(onPage?: SyncOptions['onPage']): Promise<void>;
  close(): Promise<void>;
}

/** How fast what a shared mirror says is read from the service. */
export interface ReadingPace {
  /** Reads under way at a time. */
  readonly concurrency: number;
  /** Resolves when the next one may leave. */
  readonly turn: () => Promise<unknown>;
}

const AT_EASE: ReadingPace = { concurrency: 4, turn: () => Promise.resolve() };

/**
 * Opens the mirror of the session's company. A key or an origin that was not seen before asks the service about what is known.
 * @throws DatabaseUnusable; Failure by the table of exit codes; Stopped
 */
export async function openMirror(run: SessionRun<Where>, pace = AT_EASE): Promise<OpenMirror> {
  const { session, ports } = run;
  const mirrors = await storesOf(run).openMirrors();
  try {
    const place = await senderOf(session, ports, mirrors.keySalt);
    const read: ReadOperation = async (id) => ((await lookUp(id, run)) === null ? 'absent' : 'there');
    const { company, isNew } = await findCompany(mirrors, place, read);
    const mirror = mirrors.of(company);
    const proved = provedMirror(mirror, mirrors.isShared ? provingOver(run, pace) : null);
    const source = eventSource(run, { isPatient: false });
    const { clock, signal } = ports;
    const pagesOf =
      (fetch: EventSource): PagesFrom =>
      (from, last) =>
        walkFeed({ fetch, from, last, follows: false, intervalMs: 0, clock, signal });
    // Only a sandbox is ever emptied.
    const ifEmptied = { read: company.environment === 'sandbox' ? read : null };
    return {
      ...{ company, isNew, mirror, proved, mirrors, place, read },
      sync: (onPage) => syncMirror(mirror, pagesOf(withYoungEnd(source, run)), { ...ifEmptied, onPage }),
      catchUp: (onPage) => catchUp(mirror, pagesOf(source), { ...ifEmptied, onPage }),
      close: () => mirrors.close(),
    };
  } catch (error) {
    await mirrors.close();
    throw error;
  }
}

function provingOver(run: SessionRun<Where>, { concurrency, turn }: ReadingPace): Proving {
  return {
    concurrency,
    read: async (id) => {
      await turn();
      return (await lookUp(id, run))?.operation ?? null;
    },
    onIgnored: ({ id, reference }, why) =>
      run.session.note(
        `The shared state has an event of operation ${id}${reference === null ? '' : `, reference ${reference}`}, but ${why}. svc ` +
          'ignores it. Somebody else wrote it there.',
      ),
  };
}

/** One of so many limits is asked for: what keeps pages has kept none with it. */
const OTHER_LIMITS = 100;

/**
 * The same source. Where a page that ends the feed is older than the service, it is asked for once more with another limit.
 * @returns a source that rejects also with Failure `unsafe` (`feed_unreadable`) for an end that is old then too
 */
export function withYoungEnd(fetch: EventSource, run: SessionRun<Where>): EventSource {
  const isOldEnd = async (page: Page, cursor: string | null): Promise<boolean> => {
    const { events, next } = page;
    const mayEnd = next === null || next === cursor || events.length === 0;
    return mayEnd && (page.hasWaited === true || (await isOld(page, run)));
  };
  return async (cursor, signal) => {
    const page = await fetch(cursor, signal);
    if (!(await isOldEnd(page, cursor))) return page;
    const other = LIMITS.eventsPageMax - 1 - Math.floor(run.ports.random.fraction() * OTHER_LIMITS);
    const again = await fetch(cursor, signal, other);
    if (!(await isOldEnd(again, cursor))) return again;
    const { answeredAtMs = null } = again;
    const when = answeredAtMs === null ? '' : ` from ${isoSeconds(answeredAtMs)}`;
    throw new Failure(
      'unsafe',
      `Something between this machine and the service answers with an old copy of the events${when}. Later payments are not in it.`,
      { code: 'feed_unreadable', outcome: 'sent', retryable: true },
    );
  };
}

/** What does not say when it was true is not known to be old, nor is anything where the service does not say what time it is. */
async function isOld({ answeredAtMs = null }: Page, run: SessionRun<Where>): Promise<boolean> {
  if (answeredAtMs === null) return false;
  await askServiceTime(run);
  const { clock } = run.session;
  const nowMs = clock.isHeard() ? clock.moment().serviceMs : null;
  // Servers of one service may be that far apart.
  return nowMs !== null && answeredAtMs < nowMs - SERVICE_CLOCKS_MS;
}
