import { isObject } from '../contract/shape.js';
import { isUuid } from '../contract/notation.js';
import { Failure } from '../runtime/failure.js';
import type { ReadOperation } from './company.js';
import type { Mirror } from '../storage/mirror/mirror.js';
import {
  advance,
  beginReading,
  finish,
  nextPass,
  emptyReading,
  type Pass,
  type Reading,
  type ReadingStep,
} from '../storage/mirror/reading.js';
import type { Page } from './walk.js';
import { memberAt, type Range } from '../contract/json.js';
import { type KnownOperation, readEventOperation } from '../contract/operation-facts.js';

type FeedPage = Pick<Page, 'body' | 'answeredAtMs'> & { readonly events: readonly Range[] };

/** Invalid UTF-8 is an error, because replacement characters would make another reference. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A payment event that cannot be read is an error, because skipping it could hide a payment. */
export function readOperations(page: FeedPage): KnownOperation[] {
  return parseEvents(page).flatMap((event, at) => {
    const members = isObject(event) ? event : {};
    const { id, type } = members;
    if (typeof id !== 'string' || typeof type !== 'string')
      throw unreadablePage(`${at + 1} of a page`, 'has no type');
    const operation = readEventOperation(id, members);
    if (typeof operation === 'string') throw unreadablePage(id, operation);
    return operation ?? [];
  });
}

function parseEvents({ body, events }: FeedPage): unknown[] {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) {
    // A missing list is an error, because an empty list says that nobody was paid.
    if (memberAt(body, 'events') !== null) return [];
    throw new Failure('defect', 'The service broke its contract: a page has no list of events.', {
      code: 'feed_unreadable',
      outcome: 'sent',
    });
  }
  try {
    const list = JSON.parse(`[${UTF_8.decode(body.subarray(first.start, last.end))}]`) as unknown[];
    if (list.length === events.length) return list;
  } catch {
    // The parser's message is dropped, because it would repeat content of the page.
  }
  throw unreadablePage('of a page', 'is not JSON');
}

function unreadablePage(eventName: string, problem: string): Failure {
  const text = `The service broke its contract: event ${eventName} ${problem}. The copy of the events ends before this page.`;
  return new Failure('defect', text, { code: 'feed_unreadable', outcome: 'sent' });
}

export interface FeedVisit {
  readonly page: FeedPage;
  readonly next: string | null;
  readonly last?: ReadingStep['last'];
}

export type PagesFrom = (cursor: string | null, last?: ReadingStep['last']) => AsyncIterable<FeedVisit>;

export interface SyncProgress {
  readonly events: number;
  readonly latestMs: number | null;
}

export interface SyncOptions {
  readonly read: ReadOperation | null;
  readonly onPage?: ((progress: SyncProgress) => Promise<void>) | undefined;
}

export interface SyncReport {
  readonly events: number;
  readonly operations: number;
  readonly cursor: string | null;
}

export async function syncMirror(
  mirror: Mirror,
  pagesFrom: PagesFrom,
  { read, onPage }: SyncOptions,
): Promise<SyncReport> {
  if (read !== null) await resetIfGone(mirror, read);
  let progress: SyncProgress = { events: 0, latestMs: null };
  const onRead = async (events: number, latestMs: number | null): Promise<void> => {
    progress = { events: progress.events + events, latestMs: laterTime(progress.latestMs, latestMs) };
    await onPage?.(progress);
  };
  for (let reading = await mirror.reading(); ;) {
    const pass = nextPass(reading);
    const { epoch } = reading;
    const finalReading = await readPass(mirror, pagesFrom, reading, onRead).catch((error: unknown) => {
      if (pass.from === null || !isRefusedCursor(error)) throw error;
      return emptyReading(epoch);
    });
    reading = finalReading ?? (await mirror.reading());
    if (finalReading !== null && !finalReading.isUnfinished && !pass.isLoose)
      return { events: progress.events, operations: await mirror.size(), cursor: finalReading.cursor };
  }
}

export async function catchUp(
  mirror: Mirror,
  pagesFrom: PagesFrom,
  { read, onPage }: SyncOptions,
): Promise<void> {
  if (read !== null) await resetIfGone(mirror, read);
  const reading = await mirror.reading();
  const { cursor, last, newestMs } = reading;
  const pass = { from: cursor === null ? null : { cursor, upToMs: newestMs ?? 0, last }, isLoose: true };
  const isCaughtUp =
    !reading.isUnfinished && pass.from !== null && (await readNews(mirror, pagesFrom, reading, pass));
  if (!isCaughtUp) await syncMirror(mirror, pagesFrom, { read: null, onPage });
}

async function readNews(
  mirror: Mirror,
  pagesFrom: PagesFrom,
  reading: Reading,
  pass: Pass,
): Promise<boolean> {
  try {
    for await (const visit of pagesFrom(pass.from?.cursor ?? null, pass.from?.last))
      if (!(await mirror.commit(readOperations(visit.page), advance(reading, pass, visit, null))))
        return false;
    return true;
  } catch (error) {
    if (isRefusedCursor(error)) return false;
    throw error;
  }
}

async function readPass(
  mirror: Mirror,
  pagesFrom: PagesFrom,
  reading: Reading,
  onRead: (events: number, latestMs: number | null) => Promise<void>,
): Promise<Reading | null> {
  const pass = nextPass(reading);
  let passReading: Reading | null = null;
  for await (const visit of pagesFrom(pass.from?.cursor ?? null, pass.from?.last)) {
    const { page } = visit;
    const operations = readOperations(page);
    const latestMs = operations.reduce<number | null>(
      (latestSoFar, operation) => laterTime(latestSoFar, operation.occurredAtMs),
      null,
    );
    passReading = advance(
      passReading ?? beginReading(reading, pass, page.answeredAtMs ?? null),
      pass,
      visit,
      latestMs,
    );
    if (!(await mirror.commit(operations, passReading))) return null;
    await onRead(page.events.length, latestMs);
  }
  const finalReading = finish(passReading ?? reading);
  return (await mirror.commit([], finalReading)) ? finalReading : null;
}

function laterTime(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

async function resetIfGone(mirror: Mirror, read: ReadOperation): Promise<void> {
  const reading = await mirror.reading();
  const newest = await mirror.newest();
  if (newest === null || !isUuid(newest.id)) return;
  if ((await read(newest.id)) === 'absent') await mirror.reset(reading);
}

function isRefusedCursor(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'rejected' && error.facts.status === 400;
}
