/** Whether a reference of a single create is open or paid in a batch of this machine, or of the machines that share its state. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isOneOf, NEVER_SENT, OPEN, PAID, RETRIABLE } from '../../bulk/row-state.js';
import type { OtherRow } from '../../bulk/store/row.js';
import type { KeptRequest } from '../../journal/request.js';
import { ownerOf, type ReadOperation } from '../../mirror/company.js';
import type { Place } from '../../mirror/mirror.js';
import { openAllMirrors } from '../stores/books.js';
import { isAtWork, isInDoubt } from '../stores/batches.js';
import { sharedStateOf, worldOf } from '../stores/shared.js';
import type { BookRun } from '../stores/state-settings.js';

export interface ReferenceHit {
  readonly batch: string;
  readonly line: number;
  readonly operation: string | null;
  readonly isPaid: boolean;
}

/** What is about to be created, where, and with whose key. */
type Creating = Place & Pick<KeptRequest, 'referenceMark' | 'twinMark' | 'direction'>;

/**
 * @param read asks the service whether the session's company has an operation
 * @throws DatabaseUnusable; what `read` throws
 */
export async function hitInBatches(
  creating: Creating,
  run: BookRun,
  read: ReadOperation,
): Promise<ReferenceHit | null> {
  const { referenceMark, twinMark } = creating;
  if (referenceMark === null) return null;
  const twin = Buffer.from(twinMark).toString('hex');
  for (const row of await rowsLike(creating, referenceMark, run)) {
    const isPaid = isOneOf(PAID, row.state);
    const isOpen = isOneOf(OPEN, row.state) || (await mayHaveLeft(row, run));
    if (!isPaid && !isOpen) continue;
    if (row.twinMark !== twin && (await isElsewhere(row, creating, run, read))) continue;
    const { batch, line, operation } = row;
    return { batch, line, operation, isPaid };
  }
  return null;
}

/** Somebody may be sending it now; or another database server has taken over, and knows nothing of its sending. */
async function mayHaveLeft({ state, batch }: OtherRow, run: BookRun): Promise<boolean> {
  if (isOneOf(NEVER_SENT, state) && (await isAtWork(run, batch))) return true;
  return isOneOf([...NEVER_SENT, ...RETRIABLE], state) && (await isInDoubt(run, batch));
}

async function rowsLike(
  creating: Creating,
  referenceMark: Uint8Array,
  run: BookRun,
): Promise<readonly OtherRow[]> {
  const { ports } = run;
  const shared = sharedStateOf(run);
  if (shared !== null) {
    const { sharedRowsWithReference } = await import('../../bulk/store/postgres/searches.js');
    return sharedRowsWithReference({ place: shared.place, ...worldOf(ports) }, creating, referenceMark);
  }
  const file = join(ports.paths.state, 'batches.db');
  if (!existsSync(file)) return [];
  const { rowsWithReference } = await import('../../bulk/store/searches.js');
  return rowsWithReference(file, creating, referenceMark);
}

async function isElsewhere(
  { company }: OtherRow,
  place: Place,
  run: BookRun,
  read: ReadOperation,
): Promise<boolean> {
  if (company === null) return false;
  const mirrors = await openAllMirrors(run);
  try {
    return (await ownerOf(mirrors, { company }, place, read)) === 'other';
  } finally {
    await mirrors.close();
  }
}
