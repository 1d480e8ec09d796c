import { isOneOf, type RowState } from '../../storage/batches/row-state.js';
import type { Batch } from '../../storage/batches/batch.js';
import { rowBlocks } from '../../storage/batches/row-blocks.js';
import type { SendingFacts } from '../../session/guard/decision.js';
import { ENDPOINTS } from '../run/attempts.js';
import type { BulkJob } from '../batch-run.js';

export async function judgeBatch(
  batch: Batch,
  {
    isAdmitted,
    states,
    approvals = 0,
  }: { readonly isAdmitted: boolean; readonly states: readonly RowState[]; readonly approvals?: number },
  { store, session, ports }: Pick<BulkJob, 'store' | 'session' | 'ports'>,
): Promise<void> {
  const { client, guard } = session;
  if (!(await guard.hasRules())) return;
  const totals = new Map<string, { minor: bigint; decimals: number }>();
  for (const { currency, state, minor } of await store.tally(batch.id)) {
    if (!isOneOf(states, state)) continue;
    const { decimals = 0 } = batch.currencies.get(currency) ?? {};
    const sum = totals.get(currency)?.minor ?? 0n;
    totals.set(currency, { minor: sum + minor, decimals });
  }
  const sendingFacts: Partial<SendingFacts> = { isAdmitted, batch: totals, approvals };
  const { create } = ENDPOINTS[batch.direction];
  const read = (after: number, count: number) => store.peek(batch.id, { after, count, states });
  for await (const rows of rowBlocks(read)) {
    ports.signal.throwIfAborted();
    for (const { body, key } of rows)
      await guard.judge(client.prepare(create, { body }, key).request, sendingFacts);
  }
}
