/** Who holds the operation that a create was answered with: no two payments become one operation. */
import type { HolderOf } from '../../client/client.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { Journal } from '../../journal/journal.js';
import { isDatabaseCode } from '../../runtime/database-unusable.js';
import { Failure } from '../../runtime/failure.js';
import type { StoresRun } from '../stores/shared-state.js';
import { storesOf, withBatches } from '../stores/stores-of-run.js';

export interface AnsweredCreate {
  /** Its row in the journal, or batch and line: it holds nothing against itself. */
  readonly place: number | string;
  readonly referenceMark: Uint8Array | null;
  /** When its bytes may first have left; null where nobody knows. */
  readonly sentAtMs: number | null;
}

/** Clocks tell whole seconds. */
const CLOCK_MS = 2000;

/** Asks the journal, and the batches for what may have been there before: no index finds rows by their operation. */
export function holdersFor({ place, ...create }: AnsweredCreate, journal: Journal, run: StoresRun): HolderOf {
  const ask: HolderOf = async (operation) => {
    const isAsked = mayBeOlder(operation, create.sentAtMs) && storesOf(run).has('batches');
    const rows = isAsked ? await withBatches(run, (store) => store.holders(operation.id)) : [];
    const holders = [
      ...(await journal.withOperation(operation.id)).map(({ row, referenceMark }) => ({
        place: row,
        mark: hex(referenceMark),
      })),
      ...rows.map(({ batch, line, referenceMark: mark }) => ({ place: placeOf(batch, line), mark })),
    ].filter((holder) => holder.place !== place);
    const mark = hex(create.referenceMark);
    if (holders.some((holder) => holder.mark !== mark)) return 'other';
    return holders.length > 0 && mark !== '' ? 'same' : null;
  };
  // The answer counts, whatever becomes of the stores.
  return (operation) =>
    ask(operation).catch((error: unknown) => {
      if (error instanceof Failure && isDatabaseCode(error.facts.code)) return null;
      throw error;
    });
}

export function placeOf(batch: string, line: number): string {
  return `${batch} ${line}`;
}

/** It may have been there when the create left. */
function mayBeOlder({ createdAtMs }: OperationFacts, sentAtMs: number | null): boolean {
  return createdAtMs === null || sentAtMs === null || createdAtMs < sentAtMs - CLOCK_MS;
}

function hex(mark: Uint8Array | null): string {
  return Buffer.from(mark ?? []).toString('hex');
}
