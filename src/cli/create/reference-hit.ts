/** Whether a reference of a single create is open or paid in a batch of this machine. */
import { isOneOf, NEVER_SENT, OPEN, PAID } from '../../bulk/row-state.js';
import { rowsWithReference } from '../../bulk/store/searches.js';
import type { OtherRow } from '../../bulk/store/row.js';
import type { KeptRequest } from '../../journal/request.js';
import { ownerOf, type ReadOperation } from '../../mirror/company.js';
import type { Place } from '../../mirror/mirror.js';
import type { Ports } from '../../runtime/ports.js';
import { openLocalMirrors } from '../stores/books.js';
import { isRunning } from '../stores/batches.js';

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
  file: string,
  creating: Creating,
  ports: Ports,
  read: ReadOperation,
): Promise<ReferenceHit | null> {
  const { referenceMark, twinMark } = creating;
  if (referenceMark === null) return null;
  const twin = Buffer.from(twinMark).toString('hex');
  for (const row of rowsWithReference(file, creating, referenceMark)) {
    const isPaid = isOneOf(PAID, row.state);
    const isOpen =
      isOneOf(OPEN, row.state) || (isOneOf(NEVER_SENT, row.state) && (await isRunning(ports, row.batch)));
    if (!isPaid && !isOpen) continue;
    if (row.twinMark !== twin && (await isElsewhere(row, creating, ports, read))) continue;
    const { batch, line, operation } = row;
    return { batch, line, operation, isPaid };
  }
  return null;
}

async function isElsewhere(
  { company }: OtherRow,
  place: Place,
  ports: Ports,
  read: ReadOperation,
): Promise<boolean> {
  if (company === null) return false;
  const mirrors = await openLocalMirrors(ports);
  try {
    return (await ownerOf(mirrors, { company }, place, read)) === 'other';
  } finally {
    await mirrors.close();
  }
}
