import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import type { Journal } from '../../../src/storage/journal/journal.js';
import {
  openPostgresJournal,
  type PostgresJournalOptions,
} from '../../../src/storage/journal/postgres/journal.js';
import { systemClock } from '../../../src/runtime/clock.js';
import type { StatePlace } from '../../../src/storage/postgres/place.js';
import type { PostgresDatabase } from '../../support/postgres.js';
import { postgresHere } from '../../support/postgres-here.js';
import { GivenProcesses, opened, openedBy } from './given.js';
import { testFolder } from '../../support/test-folder.js';

interface Book {
  readonly by: (pid: number) => Promise<Journal>;
  readonly kill: (pid: number) => Promise<void>;
}
let tokens = 0;

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

export async function journalServer(): Promise<PostgresDatabase | null> {
  const server = await postgresHere();
  afterAll(() => server?.stop());
  return server;
}

export function journalKinds(server: PostgresDatabase | null) {
  const open = (): Promise<Journal> => Promise.resolve(opened(':memory:').journal);
  const both = async (book: Book) => ({ ...book, first: await book.by(1), second: await book.by(2) });
  const file = { name: 'a file', isFar: false, share: () => both(sharedFile()), open };
  if (server === null) return [file];
  const book = async () => sharedDatabase(await server.place(null, 'worker'), server);
  const share = async () => both(await book());
  return [file, { name: 'PostgreSQL', isFar: true, open: async () => (await book()).by(1), share }];
}

function sharedFile(): Book {
  const processes = new GivenProcesses();
  const file = join(testFolder(), 'requests.db');
  const by = (pid: number): Promise<Journal> => Promise.resolve(openedBy(file, processes.seenBy(pid)));
  const kill = (pid: number): Promise<void> => {
    processes.kill(pid);
    return Promise.resolve();
  };
  return { by: closedAtLast(by), kill };
}

function sharedDatabase(place: StatePlace, server: PostgresDatabase): Book {
  const by = (pid: number): Promise<Journal> => openShared(place, { name: `laptop/${String(pid)}` });
  const isOver = `o.value ->> 'by' = 'laptop/PID' THEN o.value || '{"until": 0}' ELSE o.value END`;
  const kill = async (pid: number): Promise<void> => {
    const owners = `(SELECT jsonb_object_agg(o.key, CASE WHEN ${isOver}) FROM jsonb_each(owners) o)`;
    const sql = `UPDATE svc.requests SET owners = ${owners} WHERE owners <> '{}'`;
    await server.queryIn(place, sql.replaceAll('PID', String(pid)));
  };
  return { by: closedAtLast(by), kill };
}

function closedAtLast(open: (pid: number) => Promise<Journal>): (pid: number) => Promise<Journal> {
  return async (pid) => {
    const journal = await open(pid);
    onTestFinished(() => journal.close());
    return journal;
  };
}
