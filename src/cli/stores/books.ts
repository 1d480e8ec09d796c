/** The books of this machine beside its batches, opened: the journal of single creates, and the mirror. */
import { join } from 'node:path';
import type { Journal } from '../../journal/journal.js';
import type { Mirrors } from '../../mirror/mirror.js';
import { ensurePrivateFolder } from '../../runtime/folders.js';
import type { Ports } from '../../runtime/ports.js';
import { sharedBooksOf, worldOf } from './shared.js';
import type { BookRun } from './state-settings.js';

/** @throws Failure `local_state` where it can't be used: then nothing may be sent */
export async function openRequests({ paths }: Ports): Promise<Journal> {
  ensurePrivateFolder(paths.state);
  const { openJournal } = await import('../../journal/sqlite-journal.js');
  return openJournal(join(paths.state, 'requests.db'));
}

/** Works with the journal, and closes it. @throws Failure `local_state` where it can't be used */
export async function withJournal<T>(ports: Ports, work: (journal: Journal) => T | Promise<T>): Promise<T> {
  const journal = await openRequests(ports);
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}

/** Those of every company, where this command line keeps its books. @throws DatabaseUnusable, Failure `local_state` */
export async function openAllMirrors(run: BookRun): Promise<Mirrors> {
  const shared = sharedBooksOf(run);
  if (shared === null) return openLocalMirrors(run.ports);
  const { openPostgresMirrors } = await import('../../mirror/store/postgres/postgres-mirrors.js');
  return openPostgresMirrors({ place: shared.place, ...worldOf(run.ports) }, run.ports.random);
}

/** Those of this machine, whatever it shares. @throws DatabaseUnusable, Failure `local_state` */
export async function openLocalMirrors({ paths, random }: Pick<Ports, 'paths' | 'random'>): Promise<Mirrors> {
  ensurePrivateFolder(paths.state);
  const { openMirrors } = await import('../../mirror/store/sqlite-mirrors.js');
  return openMirrors(join(paths.state, 'feed.db'), random);
}
