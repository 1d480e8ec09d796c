/** From a file to a batch: planned, asked about, and only then in the store for others to see. */
import type { Batch } from '../store/batch.js';
import { type Clearance, type ClearanceWorld, refusePaid } from '../check/clearance.js';
import { PaidRows, type WaysOn } from '../check/paid-rows.js';
import { surveyRows } from '../check/survey.js';
import { planBatch, type PlanOptions, type PlanWorld } from './planner.js';

export interface BatchPlanOptions extends Omit<PlanOptions, 'paid'> {
  /** False for a plan that is only shown: it is never a batch, whatever becomes of this process. */
  readonly isKept: boolean;
  readonly ways: WaysOn;
}

/**
 * The batch; where anything stands in its way the store is as before.
 * @throws Failure `bad_file` with line numbers, `unsafe` (`references_paid`); where the feed can't be read; DatabaseUnusable; the signal's
 *   reason
 */
export async function makeBatch(
  options: BatchPlanOptions,
  world: PlanWorld & Pick<ClearanceWorld, 'clock'>,
): Promise<{ batch: Batch; clearance: Clearance }> {
  const { facts, isKept, skipsPaid, signal, ways } = options;
  const { store, clock } = world;
  let seenChanges = await store.changes();
  const paid = new PaidRows(clock.now());
  const { id, totals } = await planBatch({ ...options, paid }, world);
  const batch: Batch = { ...facts, ...totals, id, confirmedAtMs: null, confirmation: null };
  try {
    await refusePaid(batch, paid, { isRetry: false, ways }, store);
    while (isKept && !(await store.finish(id, totals, seenChanges))) {
      // Another batch came or began to send meanwhile: what it has to do with these rows is asked once more.
      seenChanges = await store.changes();
      const again = new PaidRows(clock.now());
      await surveyRows(batch, { states: ['planned'], skipsPaid, paid: again, signal }, world);
      await refusePaid(batch, again, { isRetry: false, ways }, store);
    }
    // Finishing was a change too.
    return { batch, clearance: { seenChanges: seenChanges + 1, askedAtMs: clock.monotonic() } };
  } catch (error) {
    // What could not be planned leaves nothing behind; where that fails too, the first error says why.
    await store.discard(id).catch(() => undefined);
    throw error;
  }
}
