/**
 * What a batch needs after another database server took over, or an older state was restored. Rows that were sent may look unsent there, so
 * the feed is read before anything leaves.
 */
import { agrees } from '../../contract/operation-facts.js';
import { SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { isoSeconds } from '../../runtime/clock.js';
import { isOneOf, NEVER_SENT, RETRIABLE, SENDABLE } from '../row-state.js';
import { NO_OPERATION } from '../run/verdict.js';
import type { BatchStore } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import type { RowResult, ShownRow } from '../store/row.js';
import { rowBlocks } from '../store/row-blocks.js';
import { type EvidenceWorld, paymentsOfRows } from './evidence.js';
import { isBefore, type KnownPayment } from './payments.js';

/** What was found of a batch that another server keeps now. */
export interface TakenOver {
  /** Rows whose payment was found; the same keys are answered with it. */
  readonly sent: number;
  /** Rows whose payment is too old for that, or stands against what is known: a person decides. */
  readonly waiting: number;
}

export interface TakeoverWorld extends EvidenceWorld {
  readonly store: Pick<BatchStore, 'others' | 'rows' | 'exchange' | 'doubt' | 'trust'>;
  /** True where it is known that a payment that the service made then was made so lately that its bytes may be sent again with the same key. */
  readonly isRepeatable: (madeMs: number) => boolean;
  readonly signal: AbortSignal;
  /** Called when another server has taken over. */
  readonly onTakenOver: (found: TakenOver) => Promise<void>;
}

/** The code of a row that another server knew nothing of. */
const TAKEN_OVER = 'taken_over';

/**
 * Nothing is done where nothing can have been forgotten. Else the feed is read, whatever was asked to be skipped: the mirror is in the same
 * database, so its place went back with it. A payment that a row may have made, and that nothing holds, is taken for its own.
 * @throws where the feed can't be read: the batch stays in doubt then; the signal's reason
 */
export async function settleTakeover(batch: Batch, world: TakeoverWorld): Promise<void> {
  const { store, knowledge, signal } = world;
  // What it is now, before anything is looked at: another one that takes over meanwhile is looked at the next time.
  const server = await store.doubt(batch.id);
  if (server === null) return;
  await knowledge.bringUpToDate('whatever');
  let [sent, waiting] = [0, 0];
  const states = [...SENDABLE, ...RETRIABLE];
  for await (const rows of rowBlocks((...block) => store.rows(batch.id, ...block, states))) {
    signal.throwIfAborted();
    const found = await paymentsOfRows(batch, rows, world);
    const results = found.flatMap(
      ({ row, payments }) => forgottenOf(batch, row, payments, world.isRepeatable) ?? [],
    );
    if (results.length > 0) await store.exchange(batch.id, results, null);
    const open = results.filter(({ state }) => state === 'unknown').length;
    [sent, waiting] = [sent + open, waiting + results.length - open];
  }
  await store.trust(batch.id, server);
  await world.onTakenOver({ sent, waiting });
}

/**
 * The one payment of its reference, where it agrees, nothing is known to have sent it, and it was made since the batch was planned; null
 * where there is none, or the row knows itself that it left: then the rules for every batch hold.
 */
export function forgottenOf(
  batch: Pick<Batch, 'direction' | 'createdAtMs' | 'sinceMs'>,
  row: ShownRow,
  payments: readonly KnownPayment[],
  isRepeatable: TakeoverWorld['isRepeatable'],
): RowResult | null {
  const isRetriable = isOneOf(RETRIABLE, row.state);
  if (!isRetriable && !isOneOf(NEVER_SENT, row.state)) return null;
  const [only, ...more] = payments.filter((payment) => !isBefore(payment, batch.sinceMs));
  if (only === undefined || more.length > 0 || only.source.kind !== 'feed') return null;
  if (!agrees({ ...row, direction: batch.direction }, only)) return null;
  const madeMs = only.atMs ?? batch.createdAtMs;
  if (madeMs < batch.createdAtMs - SERVICE_CLOCKS_MS) return null;
  const facts = { number: row.number, before: row.state, sentAtMs: madeMs, code: TAKEN_OVER };
  // A row that ended without paying and was paid after all has left under another key.
  if (!isRetriable && only.atMs !== null && isRepeatable(madeMs))
    return { ...facts, ...NO_OPERATION, state: 'unknown', detail: null };
  return {
    ...{ ...facts, state: 'needs_review', status: only.status, operationAtMs: only.atMs },
    operation: only.operation,
    detail:
      `Another database server took over. The events hold ${String(only.operation)} of ${isoSeconds(madeMs)}, with its reference: ` +
      'perhaps its own. A person decides.',
  };
}
