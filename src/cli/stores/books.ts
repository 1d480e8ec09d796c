/** The books of this machine beside its batches, opened: the journal of single creates, and the mirror. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isFinal } from '../../contract/operation.js';
import { CALL_PATIENCE, RETRY_AFTER_MAX_MS } from '../../contract/retry.js';
import type { Journal } from '../../journal/journal.js';
import type { Mirrors } from '../../mirror/mirror.js';
import { Failure } from '../../runtime/failure.js';
import { ensurePrivateFolder } from '../../runtime/folders.js';
import type { Ports } from '../../runtime/ports.js';
import { timeoutOf } from '../line/duration.js';
import { sharedStateOf, tellOfFiles, tellOfKey, worldOf } from './shared.js';
import type { BookRun } from './state-settings.js';

/** Where this command line keeps its books. @throws Failure `local_state` where it can't be used: then nothing may be sent */
export async function openRequests(run: BookRun): Promise<Journal> {
  const shared = sharedStateOf(run);
  if (shared === null) {
    await tellOfFiles(run);
    return openLocalRequests(run.ports);
  }
  await tellOfKey(run);
  const { openPostgresJournal } = await import('../../journal/postgres/postgres-journal.js');
  return openPostgresJournal({ place: shared.place, ...worldOf(run.ports), answerMs: answerMs(run) });
}

/** Every attempt has had its answer or its limit by then, and the waits between them are over. */
function answerMs({ flags }: BookRun): number {
  return CALL_PATIENCE.attemptsMax * (timeoutOf(flags) + RETRY_AFTER_MAX_MS);
}

type RequestPorts = Pick<Ports, 'paths' | 'processes' | 'clock'>;

/** That of this machine, whatever it shares. @throws Failure `local_state` */
async function openLocalRequests({ paths, processes, clock }: RequestPorts): Promise<Journal> {
  ensurePrivateFolder(paths.state);
  const { openJournal } = await import('../../journal/sqlite-journal.js');
  return openJournal(requestsFile({ paths }), { processes, clock });
}

function requestsFile({ paths }: Pick<Ports, 'paths'>): string {
  return join(paths.state, 'requests.db');
}

/** Works with the journal, and closes it. @throws Failure `local_state` where it can't be used */
export async function withJournal<T>(run: BookRun, work: (journal: Journal) => T | Promise<T>): Promise<T> {
  return closing(await openRequests(run), work);
}

/** The same with that of this machine, whatever it shares. */
export async function withLocalJournal<T>(
  ports: RequestPorts,
  work: (journal: Journal) => T | Promise<T>,
): Promise<T> {
  return closing(await openLocalRequests(ports), work);
}

/**
 * Notes a final status that was seen in the journal of this machine, if there is one: what refuses a create later need not be read again. In a
 * state that machines share only what this command has changed or followed is noted. Whatever goes wrong with it, the answer counts.
 */
export async function noteStatus(
  run: BookRun,
  { id, status }: { readonly id: string; readonly status: string },
  isRead: boolean,
): Promise<void> {
  if (!isFinal(status)) return;
  try {
    const isShared = sharedStateOf(run) !== null;
    if (isShared ? isRead : !existsSync(requestsFile(run.ports))) return;
    const note = (journal: Journal): Promise<void> => journal.note(id, status);
    await (isShared ? withJournal(run, note) : withLocalJournal(run.ports, note));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}

async function closing<T>(journal: Journal, work: (journal: Journal) => T | Promise<T>): Promise<T> {
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}

/** Those of every company, where this command line keeps its books. @throws DatabaseUnusable, Failure `local_state` */
export async function openAllMirrors(run: BookRun): Promise<Mirrors> {
  const shared = sharedStateOf(run);
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
