/** Journals of both kinds: what holds for one holds for the other. */
import { afterAll } from 'vitest';
import type { Journal } from '../../src/journal/journal.js';
import {
  openPostgresJournal,
  type PostgresJournalOptions,
} from '../../src/journal/postgres/postgres-journal.js';
import { systemClock } from '../../src/runtime/clock.js';
import type { StatePlace } from '../../src/state/place.js';
import { startPostgres, type PostgresServer } from '../support/postgres.js';
import { opened } from './given.js';

export interface JournalKind {
  readonly name: string;
  /** An empty one. */
  readonly open: () => Promise<Journal>;
  /** So that a test of many takes no longer than it should. */
  readonly isFar: boolean;
}

let tokens = 0;

/** One machine of several. */
export function openShared(
  place: StatePlace,
  options: Partial<PostgresJournalOptions> = {},
): Promise<Journal> {
  return openPostgresJournal({
    ...{ place, clock: systemClock, patienceMs: 20_000, say: () => undefined },
    ...{ name: 'laptop/1', answerMs: 60_000, key: null },
    newToken: () => `${String(process.pid)}-${String((tokens += 1))}`,
    ...options,
  });
}

/** A server for the journals of a file; null where none can be started. To be called at its top. */
export async function journalServer(): Promise<PostgresServer | null> {
  const server = await startPostgres();
  afterAll(() => server?.stop());
  return server;
}

export function journalKinds(server: PostgresServer | null): JournalKind[] {
  const file = { name: 'a file', isFar: false, open: () => Promise.resolve(opened(':memory:').journal) };
  if (server === null) return [file];
  const open = async (): Promise<Journal> => openShared(await server.place(null, 'worker'));
  return [file, { name: 'PostgreSQL', isFar: true, open }];
}
