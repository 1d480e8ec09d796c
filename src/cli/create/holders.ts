/** Who holds the operation that a create was answered with: no two payments become one operation. */
import type { HolderOf } from '../../client/client.js';
import { CONTRADICTED } from '../../contract/operation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { Journal } from '../../journal/journal.js';
import { isDatabaseCode } from '../../runtime/database-unusable.js';
import { Failure } from '../../runtime/failure.js';
import type { Where } from '../line/where.js';
import type { SessionRun } from '../session/session.js';
import { storesOf, withBatches } from '../stores/stores-of-run.js';

export interface AnsweredCreate {
  /** Its row in the journal, or batch and line: it holds nothing against itself. */
  readonly place: number | string;
  readonly referenceMark: Uint8Array | null;
  /** When its bytes may first have left; null where nobody knows. */
  readonly sentAtMs: number | null;
  /** It has left before: the events may have told of its operation since. */
  readonly isAgain: boolean;
}

/** Clocks tell whole seconds. */
const CLOCK_MS = 2000;

/** Asks the journal, and the batches for what may have been there before: no index finds rows by their operation. */
export function holdersFor(
  { place, ...create }: AnsweredCreate,
  journal: Journal,
  run: SessionRun<Where>,
): HolderOf {
  const ask: HolderOf = async (operation) => {
    const requests = await journal.withOperation(operation.id);
    const isTold = create.isAgain && storesOf(run).has('mirrors');
    if (isTold && (await isEndedOtherwise(operation, run))) return 'contradicted';
    if (requests.some(({ settled }) => settled?.status === CONTRADICTED)) return 'contradicted';
    // It may have been there when the create left.
    const isOld = (operation.createdAtMs ?? -Infinity) < (create.sentAtMs ?? Infinity) - CLOCK_MS;
    const isAsked = isOld && storesOf(run).has('batches');
    const rows = isAsked ? await withBatches(run, (store) => store.holders(operation.id)) : [];
    const holders = [
      ...requests.map(({ row, referenceMark }) => ({ place: row, mark: hex(referenceMark) })),
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

async function isEndedOtherwise({ id, status }: OperationFacts, run: SessionRun<Where>): Promise<boolean> {
  const [{ openMirror }, { contradictedIn }] = await Promise.all([
    import('../feed/mirror.js'),
    import('../../mirror/ends.js'),
  ]);
  const open = await openMirror(run);
  const ends = contradictedIn(open.mirror, open.proved, new Map([[id, status]]));
  return (await ends.finally(() => open.close())).size > 0;
}

export function placeOf(batch: string, line: number): string {
  return `${batch} ${line}`;
}

function hex(mark: Uint8Array | null): string {
  return Buffer.from(mark ?? []).toString('hex');
}
