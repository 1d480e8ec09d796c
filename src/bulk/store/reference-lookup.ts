/** Looks up one reference in the store of batches: for a single create, which has no batch. */
import { openDatabase } from '../../runtime/database.js';
import type { Environment } from '../../contract/access.js';
import type { Direction } from '../../contract/methods.js';
import type { OtherRow } from './row.js';
import { BATCHES_KIND } from './schema.js';
import { othersOf } from './searches.js';

const NO_BATCH = -1;

/** The rows of all batches with that reference. @throws DatabaseUnusable */
export function rowsWithReference(
  file: string,
  place: { readonly environment: Environment; readonly direction: Direction },
  referenceMark: Uint8Array,
): OtherRow[] {
  const db = openDatabase(file, BATCHES_KIND);
  try {
    return db.transaction(() => othersOf(db, NO_BATCH, place, [referenceMark]));
  } finally {
    db.close();
  }
}
