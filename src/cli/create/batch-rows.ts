/** What the batches of this machine, or of the machines that share its state, know of the reference of a single create. */
import type { KnownRow } from '../../bulk/check/evidence.js';
import { isOneOf, NEVER_SENT, RETRIABLE } from '../../bulk/row-state.js';
import type { OtherRow } from '../../bulk/store/row.js';
import type { About } from '../../journal/request.js';
import type { Ownership } from '../../mirror/company.js';
import type { Place } from '../../mirror/mirror.js';
import type { Stores } from '../stores/stores.js';

/** What is about to be created, and where. */
type Creating = Pick<Place, 'environment'> & Pick<About, 'referenceMark' | 'direction'>;

/**
 * @param ownerOf whose a row is
 * @throws DatabaseUnusable; what `ownerOf` throws
 */
export async function rowsInBatches(
  creating: Creating,
  stores: Stores,
  ownerOf: (row: OtherRow) => Promise<Ownership>,
): Promise<KnownRow[]> {
  const { referenceMark } = creating;
  if (referenceMark === null) return [];
  const known: KnownRow[] = [];
  for (const row of await stores.rowsOfReference(creating, referenceMark)) {
    const owner = await ownerOf(row);
    if (owner === 'other') continue;
    // What may have left although it stands as if it never did is about to be sent, for all that anybody knows.
    const isRunning = await mayHaveLeft(row, stores);
    const state = isRunning ? 'planned' : row.state;
    known.push({ ...row, state, isRunning, isSameCompany: owner === 'same' });
  }
  return known;
}

/** Somebody may be sending it now; or another database server has taken over, and knows nothing of its sending. */
async function mayHaveLeft({ state, batch }: OtherRow, stores: Stores): Promise<boolean> {
  if (isOneOf(NEVER_SENT, state) && (await stores.isAtWork(batch))) return true;
  return isOneOf([...NEVER_SENT, ...RETRIABLE], state) && (await stores.isInDoubt(batch));
}
