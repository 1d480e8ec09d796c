/** Opens the stores of a command. Only this file chooses between files and a shared database. */
import type { BatchStore } from '../storage/batches/batch-store.js';
import type { Batch } from '../storage/batches/batch.js';
import { isFinal } from '../contract/operation.js';
import type { Journal } from '../storage/journal/journal.js';
import type { Mirrors } from '../storage/mirror/mirror.js';
import { Failure } from '../runtime/failure.js';
import { quote } from '../runtime/shell.js';
import { nearest } from './line/vocabulary.js';
import { fileStores } from '../storage/file-stores.js';
import {
  machineOptions,
  sharedStateOf,
  type StoresRun,
  noteEmbeddedState,
  noteUnsealedState,
} from '../session/state-place.js';
import type { SharedState } from '../storage/postgres/place.js';
import { sharedStores } from '../storage/shared-stores.js';
import { withStore, type Stores } from '../storage/stores.js';

/** Returns the stores of a command. @throws Failure `usage`, `unsafe` if the shared state may not be used for this environment */
export function storesOf(run: StoresRun): Stores {
  const shared = sharedStateOf(run);
  return shared === null ? fileStores(run.ports, () => noteEmbeddedState(run)) : openShared(shared, run);
}

/** Returns the stores in this machine's files, and the shared stores if there are any. */
export function allStoresOf(run: StoresRun): Stores[] {
  const shared = sharedStateOf(run);
  return [fileStores(run.ports, skipNote), ...(shared === null ? [] : [openShared(shared, run)])];
}

function openShared(shared: SharedState, { ports, flags }: StoresRun): Stores {
  const machine = () => machineOptions(ports);
  return sharedStores(shared, {
    ports,
    flags,
    machine,
    noteUnsealed: () => noteUnsealedState({ ports, flags }),
  });
}

const skipNote = (): Promise<void> => Promise.resolve();

export async function withBatches<T>(
  run: StoresRun,
  work: (store: BatchStore) => T | Promise<T>,
): Promise<T> {
  return withStore(storesOf(run).openBatches(), work);
}

export async function withJournal<T>(run: StoresRun, work: (journal: Journal) => T | Promise<T>): Promise<T> {
  return withStore(storesOf(run).openJournal(), work);
}

export async function withMirrors<T>(run: StoresRun, work: (mirrors: Mirrors) => T | Promise<T>): Promise<T> {
  return withStore(storesOf(run).openMirrors(), work);
}

/** Finds a batch by its name. @throws Failure `not_found`, with the name that may be meant */
export async function requireBatch(store: BatchStore, name: string, run: StoresRun): Promise<Batch> {
  const batch = await store.find(name);
  if (batch !== null) return batch;
  const { text } = storesOf(run).where;
  const names = (await store.list()).map((one) => one.name);
  const nearestName = nearest(name, names);
  const hint = nearestName === null ? '' : ` Did you mean ${quote(nearestName)}?`;
  throw new Failure('not_found', `There is no batch ${name} ${text}.${hint} See "svc batches list".`);
}

/**
 * Notes an operation's final status in the journal, so that a later create need not ask the service for it. A shared journal gets the note only
 * if this command changed or followed the operation. Ignores failures, because the answer counts.
 */
export async function noteStatus(
  run: StoresRun,
  { id, status }: { readonly id: string; readonly status: string },
  isRead: boolean,
): Promise<void> {
  if (!isFinal(status)) return;
  try {
    const isShared = sharedStateOf(run) !== null;
    const stores = isShared ? storesOf(run) : fileStores(run.ports, skipNote);
    if (isShared ? isRead : !stores.has('journal')) return;
    await withStore(stores.openJournal(), (journal) => journal.noteStatus(id, status));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}
