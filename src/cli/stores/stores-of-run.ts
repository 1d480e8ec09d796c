/** The stores of a command line, opened: nobody else asks whether they are files or a database that machines share. */
import type { BatchStore } from '../../bulk/store/batch-store.js';
import type { Batch } from '../../bulk/store/batch.js';
import { isFinal } from '../../contract/operation.js';
import type { Journal } from '../../journal/journal.js';
import type { Mirrors } from '../../mirror/mirror.js';
import { Failure } from '../../runtime/failure.js';
import { quote } from '../../runtime/shell.js';
import { nearest } from '../line/vocabulary.js';
import { fileStores } from './file-stores.js';
import { sharedStateOf, type StoresRun, tellOfFiles } from './shared-state.js';
import { sharedStores } from './shared-stores.js';
import { closing, type Stores } from './stores.js';

/** @throws Failure `usage`, `unsafe` where that state may not be used for this environment */
export function storesOf(run: StoresRun): Stores {
  const shared = sharedStateOf(run);
  return shared === null ? fileStores(run.ports, () => tellOfFiles(run)) : sharedStores(shared, run);
}

/** Those of this machine, whatever it shares, and those that it shares. */
export function allStoresOf(run: StoresRun): Stores[] {
  const shared = sharedStateOf(run);
  return [fileStores(run.ports, untold), ...(shared === null ? [] : [sharedStores(shared, run)])];
}

const untold = (): Promise<void> => Promise.resolve();

export async function withBatches<T>(
  run: StoresRun,
  work: (store: BatchStore) => T | Promise<T>,
): Promise<T> {
  return closing(storesOf(run).openBatches(), work);
}

export async function withJournal<T>(run: StoresRun, work: (journal: Journal) => T | Promise<T>): Promise<T> {
  return closing(storesOf(run).openJournal(), work);
}

export async function withMirrors<T>(run: StoresRun, work: (mirrors: Mirrors) => T | Promise<T>): Promise<T> {
  return closing(storesOf(run).openMirrors(), work);
}

/** @throws Failure `not_found` */
export async function knownBatch(store: BatchStore, name: string, run: StoresRun): Promise<Batch> {
  const batch = await store.find(name);
  if (batch !== null) return batch;
  const { said } = storesOf(run).where;
  const meant = nearest(
    name,
    (await store.list()).map((one) => one.name),
  );
  const hint = meant === null ? '' : ` Did you mean ${quote(meant)}?`;
  throw new Failure('not_found', `There is no batch ${name} ${said}.${hint} See "svc batches list".`);
}

/**
 * Notes a final status that was seen in the journal, if there is one: what refuses a create later need not be read again. In a journal that
 * machines share only what this command has changed or followed is noted. Whatever goes wrong with it, the answer counts.
 */
export async function noteStatus(
  run: StoresRun,
  { id, status }: { readonly id: string; readonly status: string },
  isRead: boolean,
): Promise<void> {
  if (!isFinal(status)) return;
  try {
    const isShared = sharedStateOf(run) !== null;
    const stores = isShared ? storesOf(run) : fileStores(run.ports, untold);
    if (isShared ? isRead : !stores.has('journal')) return;
    await closing(stores.openJournal(), (journal) => journal.note(id, status));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}
