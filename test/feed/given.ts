import { join } from 'node:path';
import { readPage } from '../../src/feed/walk.js';
import { Failure } from '../../src/runtime/failure.js';
import { systemRandom } from '../../src/runtime/clock.js';
import { openDatabase } from '../../src/runtime/database.js';
import { readOperations, type FeedVisit, type PagesFrom } from '../../src/feed/sync.js';
import type { KnownOperation } from '../../src/contract/operation-facts.js';
import type { Mirrors, Place } from '../../src/storage/mirror/mirror.js';
import { MIRRORS_KIND } from '../../src/storage/mirror/schema.js';
import { mirrorsIn } from '../../src/storage/mirror/sqlite-mirrors.js';
import { pageBody } from './feed.js';
import { testFolder } from '../support/test-folder.js';

export const START_MS = Date.parse('2026-09-01T00:00:00Z');
export const HOUR_MS = 3_600_000;

const ORIGIN = 'https://api.example.com';
export const PLACE: Place = { environment: 'live', origin: ORIGIN, keyPrint: 'print-of-a-key' };

export function uuid(number: number, group = 4): string {
  return `6f1c2a9e-3b4d-${group}c5e-8f70-${String(number).padStart(12, '0')}`;
}

export interface Told {
  readonly number: number;
  readonly atMs?: number;
  readonly type?: string;
  readonly eventId?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export function eventText({ number, atMs = START_MS + number * HOUR_MS, type, eventId, data }: Told): string {
  const isFailed = number % 5 === 4;
  const failure = { code: 'counterparty_rejected', reason: 'invalid_account', message: 'No such account.' };
  const text = isoOf(atMs);
  return JSON.stringify({
    id: eventId ?? uuid(number, 5),
    type: type ?? (isFailed ? 'payout.failed' : 'payout.confirmed'),
    occurred_at: text,
    data: {
      ...{ id: uuid(number), type: 'payout', country: 'VE', currency: 'VES', method: 'mobile_payment' },
      ...{ amount: `${number}.50`, status: isFailed ? 'failed' : 'confirmed', pending_reason: null },
      bank_reference: isFailed ? null : String(number).padStart(8, '0'),
      ...(isFailed ? {} : { confirmed_at: text }),
      ...{ failure: isFailed ? failure : null, reference: `emp-${number % 7}`, purpose: 'payroll' },
      ...{ metadata: { note: 'CANARY-METADATA' }, concept: 'Pago ABC6F1C2A' },
      beneficiary: { name: 'CANARY-NAME', account_number: 'CANARY-ACCOUNT' },
      ...{ created_by: 'company', created_at: isoOf(atMs - HOUR_MS), updated_at: text },
      ...data,
    },
  });
}

export function known(...events: readonly string[]): KnownOperation[] {
  return readOperations(pageOf(events, null));
}

export function pageOf(events: readonly string[], next: string | null) {
  const page = readPage(pageBody(events, next));
  if ('problem' in page) throw new Error(page.problem);
  return page;
}

export interface FeedOptions {
  readonly perPage?: number;
  readonly nowMs?: number | null;
  readonly onPage?: (cursor: string | null, count: number) => void;
}

/** The cursor is the number of events before the page. */
export function feedOf(
  events: readonly string[],
  { perPage = 3, nowMs = null, onPage = () => undefined }: FeedOptions = {},
): { pagesFrom: PagesFrom; asked: (string | null)[] } {
  const asked: (string | null)[] = [];
  let count = 0;
  return {
    asked,
    pagesFrom: (cursor) => {
      asked.push(cursor);
      return walk(cursor);
    },
  };
  async function* walk(cursor: string | null): AsyncGenerator<FeedVisit> {
    for (let at = Number(cursor ?? 0), from = cursor; ;) {
      await Promise.resolve();
      onPage(from, (count += 1));
      const part = events.slice(at, at + perPage);
      const next: string | null = part.length === 0 ? from : String(at + part.length);
      yield { page: { ...pageOf(part, next), answeredAtMs: nowMs }, next };
      if (part.length === 0) return;
      [at, from] = [at + part.length, next];
    }
  }
}

export function failing(
  isIt: (cursor: string | null, count: number) => boolean,
  failure: Failure,
): FeedOptions['onPage'] & object {
  return (cursor, count) => {
    if (isIt(cursor, count)) throw failure;
  };
}

export function eventsOf(count: number, first = 0): string[] {
  return Array.from({ length: count }, (_, at) => eventText({ number: first + at }));
}

export function refusedCursor(): Failure {
  return new Failure('rejected', 'The cursor is not known.', { code: 'field_invalid', status: 400 });
}

export const mirrorFile = (): string => join(testFolder(), 'feed.db');

export function mirrorsAt(file = ':memory:', tailRowsMax = 4): Mirrors {
  return mirrorsIn(openDatabase(file, MIRRORS_KIND), file, systemRandom, tailRowsMax);
}

export async function freshIn(mirrors: Mirrors) {
  const company = await mirrors.begin(PLACE);
  return { mirrors, company, mirror: mirrors.of(company) };
}

export const freshMirror = (file?: string) => freshIn(mirrorsAt(file));

function isoOf(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
