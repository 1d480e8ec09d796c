/** Judges a batch as a whole before anything of it leaves: each of its rows by its bytes, and its totals, at this moment. */
import { isOneOf, type RowState } from '../../bulk/row-state.js';
import type { Batch } from '../../bulk/store/batch.js';
import { rowBlocks } from '../../bulk/store/row-blocks.js';
import type { SendingStanding } from '../../guard/decision.js';
import { ROWS } from './attempts.js';
import type { BulkJob } from './job.js';

export interface Admitting {
  /** It was judged before, and confirmed: what is asked once is not asked again. */
  readonly isAdmitted: boolean;
  /** The rows that are about to leave. */
  readonly states: readonly RowState[];
  /** How many people have approved it; none unless said. */
  readonly approvals?: number;
}

/**
 * A row that would be refused refuses the batch: nothing of it leaves then.
 * @throws Failure `unsafe`; the signal's reason
 */
export async function requireAdmitted(
  batch: Batch,
  { isAdmitted, states, approvals = 0 }: Admitting,
  { store, session, ports }: Pick<BulkJob, 'store' | 'session' | 'ports'>,
): Promise<void> {
  const { client, guard } = session;
  if (!(await guard.isAsked())) return;
  const totals = new Map<string, { minor: bigint; decimals: number }>();
  for (const { currency, state, minor } of await store.tally(batch.id)) {
    if (!isOneOf(states, state)) continue;
    const { decimals = 0 } = batch.currencies.get(currency) ?? {};
    const sum = totals.get(currency)?.minor ?? 0n;
    totals.set(currency, { minor: sum + minor, decimals });
  }
  const standing: Partial<SendingStanding> = { isAdmitted, batch: totals, approvals };
  const { create } = ROWS[batch.direction];
  const read = (after: number, count: number) => store.peek(batch.id, { after, count, states });
  for await (const rows of rowBlocks(read)) {
    ports.signal.throwIfAborted();
    for (const { body, key } of rows)
      await guard.judge(client.prepare(create, { body }, key).request, standing);
  }
}
