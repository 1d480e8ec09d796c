import { walkFeed, type Page } from './walk.js';
import { findCompany, type ReadOperation } from './company.js';
import type { Company, Mirror, Mirrors, Place } from '../storage/mirror/mirror.js';
import { proveMirror, type ProvedMirror, type Proving } from './proved.js';
import { catchUp, type PagesFrom, syncMirror, type SyncOptions, type SyncReport } from './sync.js';
import { lookUp } from '../command/read.js';
import type { Where } from '../session/place-flags.js';
import { senderOf } from '../session/address.js';
import { askServiceTime } from '../session/session.js';
import { type EventSource, eventSource } from './event-source.js';
import { LIMITS, SERVICE_CLOCKS_MS } from '../contract/limits.js';
import { isoSeconds } from '../runtime/clock.js';
import { Failure } from '../runtime/failure.js';
import type { SessionRun } from '../command/command.js';

export interface OpenMirror {
  readonly company: Company;
  readonly isNew: boolean;
  /** It is for display only. Decisions about money use `provedMirror`. */
  readonly mirror: Mirror;
  readonly provedMirror: ProvedMirror;
  readonly mirrors: Mirrors;
  readonly place: Place;
  readonly read: ReadOperation;
  sync(onPage?: SyncOptions['onPage']): Promise<SyncReport>;
  /** This is enough to find an operation, but not to decide about money, because a late event may be missing. */
  catchUp(onPage?: SyncOptions['onPage']): Promise<void>;
  close(): Promise<void>;
}

export interface ReadingPace {
  readonly concurrency: number;
  readonly waitForTurn: () => Promise<unknown>;
}

const DEFAULT_PACE: ReadingPace = { concurrency: 4, waitForTurn: () => Promise.resolve() };

export async function openMirror(run: SessionRun<Where>, pace = DEFAULT_PACE): Promise<OpenMirror> {
  const { session, ports } = run;
  const mirrors = await (await run.app.stores()).openMirrors();
  try {
    const place = await senderOf(session, ports, mirrors.keySalt);
    const read: ReadOperation = async (id) => ((await lookUp(id, run)) === null ? 'absent' : 'there');
    const { company, isNew } = await findCompany(mirrors, place, read);
    const mirror = mirrors.of(company);
    const provedMirror = proveMirror(mirror, mirrors.isShared ? provingOptions(run, pace) : null);
    const source = eventSource(run, { isPatient: false });
    const { clock, signal } = ports;
    const pagesOf =
      (fetch: EventSource): PagesFrom =>
      (from, last) =>
        walkFeed({ fetch, from, last, follows: false, intervalMs: 0, clock, signal });
    // `read` is null for live, because only a sandbox can be reset.
    const resetOptions = { read: company.environment === 'sandbox' ? read : null };
    return {
      ...{ company, isNew, mirror, provedMirror, mirrors, place, read },
      sync: (onPage) => syncMirror(mirror, pagesOf(withFreshEnd(source, run)), { ...resetOptions, onPage }),
      catchUp: (onPage) => catchUp(mirror, pagesOf(source), { ...resetOptions, onPage }),
      close: () => mirrors.close(),
    };
  } catch (error) {
    await mirrors.close();
    throw error;
  }
}

function provingOptions(run: SessionRun<Where>, { concurrency, waitForTurn }: ReadingPace): Proving {
  return {
    concurrency,
    read: async (id) => {
      await waitForTurn();
      return (await lookUp(id, run))?.operation ?? null;
    },
    onIgnored: ({ id, reference }, why) =>
      run.session.note(
        `The shared state has an event of operation ${id}${reference === null ? '' : `, reference ${reference}`}, but ${why}. svc ` +
          'ignores it. Somebody else wrote it there.',
      ),
  };
}

const LIMIT_CHOICES = 100;

export function withFreshEnd(fetch: EventSource, run: SessionRun<Where>): EventSource {
  const isStaleEnd = async (page: Page, cursor: string | null): Promise<boolean> => {
    const { events, next } = page;
    const mayBeEnd = next === null || next === cursor || events.length === 0;
    return mayBeEnd && (page.isTooOld === true || (await isStale(page, run)));
  };
  return async (cursor, signal) => {
    const page = await fetch(cursor, signal);
    if (!(await isStaleEnd(page, cursor))) return page;
    const otherLimit = LIMITS.eventsPageMax - 1 - Math.floor(run.ports.random.fraction() * LIMIT_CHOICES);
    const secondPage = await fetch(cursor, signal, otherLimit);
    if (!(await isStaleEnd(secondPage, cursor))) return secondPage;
    const { answeredAtMs = null } = secondPage;
    const answeredText = answeredAtMs === null ? '' : ` from ${isoSeconds(answeredAtMs)}`;
    throw new Failure(
      'unsafe',
      `Something between this machine and the service answers with an old copy of the events${answeredText}. Later payments are not in it.`,
      { code: 'feed_unreadable', outcome: 'sent', retryable: true },
    );
  };
}

async function isStale({ answeredAtMs = null }: Page, run: SessionRun<Where>): Promise<boolean> {
  if (answeredAtMs === null) return false;
  await askServiceTime(run);
  const { clock } = run.session;
  const nowMs = clock.isTimeProved() ? clock.moment().serviceMs : null;
  return nowMs !== null && answeredAtMs < nowMs - SERVICE_CLOCKS_MS;
}
