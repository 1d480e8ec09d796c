/** Where a plan is that is only shown: in a file of this machine, whatever machines share. */
import type { BatchStore } from '../../bulk/store/batch-store.js';
import { withLocalBatches, withLockHeld } from './batches.js';
import { sharedStateOf, tellOfFiles, worldOf } from './shared.js';
import type { StateRun } from './state-settings.js';

/** A name that no person can give: plans that are only shown. */
const SHOWN = ' dry run';

/**
 * A store for a plan that is only shown: its rows are on this machine, and where machines share their state nothing is written there; the
 * batches that it is held against are theirs.
 * @throws Failure `locked` where another plan is shown here
 */
export async function withPlanStore<T>(
  run: StateRun,
  work: (store: BatchStore, name: string) => Promise<T>,
): Promise<T> {
  const { ports } = run;
  const shared = sharedStateOf(run);
  const held = <R>(steps: (store: BatchStore) => Promise<R>): Promise<R> =>
    withLockHeld(ports, SHOWN, () => withLocalBatches(ports, steps));
  if (shared === null) {
    await tellOfFiles(run);
    return held((store) => work(store, SHOWN));
  }
  const [{ openSharedRows }, { shownAgainst }] = await Promise.all([
    import('../../bulk/store/postgres/searches.js'),
    import('../../bulk/store/shown-plan.js'),
  ]);
  const others = await openSharedRows({ place: shared.place, ...worldOf(ports) });
  try {
    return await held((store) =>
      work(
        shownAgainst(store, (facts, marks) => others.withReferences(facts, marks)),
        SHOWN,
      ),
    );
  } finally {
    await others.close();
  }
}
