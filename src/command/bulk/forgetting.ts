/** `svc batches forget`: removes the bodies of a finished batch, and with them what a retry would send. */
import { dropBodies, FINAL } from '../../bulk/retention.js';
import type { RowState } from '../../bulk/row-state.js';
import type { Batch, BatchStore, TallyEntry } from '../../bulk/store/batch-store.js';
import { Failure } from '../../runtime/failure.js';
import type { GlobalFlags, House } from '../base.js';
import { printerOfAnything } from '../printer.js';
import { batchCommand, summaryOf } from './end.js';
import { knownBatch, withLockedBatch } from './store.js';

/**
 * Removes every body of a finished batch; a batch of which nothing ever left is removed altogether.
 * @throws Failure `not_found`, `locked`, `unsafe` where rows are open
 */
export async function forgetBatch({ ports }: House, name: string, flags: GlobalFlags): Promise<void> {
  const printer = await printerOfAnything(ports, flags);
  await withLockedBatch(ports, name, async (store) => {
    const batch = await knownBatch(store, name);
    const tally = await store.tally(batch.id);
    const isUnsent = tally.every(({ state }) => state === 'planned');
    if (!isUnsent) requireFinal(batch, tally, flags);
    const bodies = await dropBodies(store, batch.id, isUnsent ? ['planned'] : FINAL);
    if (isUnsent) await store.discard(batch.id);
    const forgotten = { batch: name, bodies_removed: bodies, batch_removed: isUnsent };
    await printer.answer(Buffer.from(JSON.stringify(forgotten)));
  });
}

/** @throws Failure `unsafe` where the bodies that a retry would send are gone */
export async function requireBodies(
  batch: Batch,
  store: BatchStore,
  states: readonly RowState[],
): Promise<void> {
  if (!(await store.lacksBodies(batch.id, states))) return;
  throw new Failure(
    'unsafe',
    `The bodies of batch ${batch.name} were removed with "svc batches forget". Nothing was sent. Put the rows into a new file, under a ` +
      'new name.',
    { code: 'bodies_forgotten', outcome: 'not_sent' },
  );
}

function requireFinal(batch: Batch, tally: readonly TallyEntry[], flags: GlobalFlags): void {
  if (tally.every(({ state }) => (FINAL as readonly string[]).includes(state))) return;
  const { resume_command: resume } = summaryOf(batch.name, batch, tally, flags);
  throw new Failure(
    'unsafe',
    `Batch ${batch.name} is not finished: what is open needs its bodies. Nothing was removed.`,
    {
      code: 'not_finished',
      outcome: 'not_sent',
      nextCommand: resume ?? batchCommand('status', batch.name, flags),
    },
  );
}
