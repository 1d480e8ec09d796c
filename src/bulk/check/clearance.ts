/** Before anything of a batch leaves: everything that is about to is asked, and nothing may have changed until it does. */
import { isOneOf, RETRIABLE, SENDABLE, type RowState } from '../row-state.js';
import { renewRows } from '../run/renewal.js';
import type { BatchStore } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import { PaidRows, type WaysOn } from './paid-rows.js';
import type { Knowledge, SingleCreate } from './knowledge.js';
import { settlePending, settleTooOld, surveyRows } from './survey.js';

export interface ClearanceWorld {
  readonly store: BatchStore;
  readonly knowledge: Knowledge;
  /** The service's time, and what has passed on this machine. */
  readonly clock: { now(): number; monotonic(): number };
  readonly signal: AbortSignal;
}

export interface Asking {
  /** Failed and rejected rows start anew too. */
  readonly isRetry: boolean;
  readonly skipsPaid: boolean;
  readonly ways: WaysOn;
}

/** What was found out, and until when it holds. */
export interface Clearance {
  readonly seenChanges: number;
  readonly askedAtMs: number;
}

/** A person may think for a while; what was found out before that is asked again. */
const HOLDS_MS = 60_000;

/**
 * Asks of everything that is about to leave whether it was paid. What the feed settles is recorded.
 * @throws Failure `unsafe` (`references_paid`); where the feed can't be read; the signal's reason
 */
export async function askAll(batch: Batch, asking: Asking, world: ClearanceWorld): Promise<Clearance> {
  const { store, knowledge, clock, signal } = world;
  const seenChanges = await store.changes();
  await knowledge.bringUpToDate();
  await settlePending(batch, world);
  await settleTooOld(batch, world);
  const paid = new PaidRows(clock.now());
  const states: readonly RowState[] = asking.isRetry ? [...SENDABLE, ...RETRIABLE] : SENDABLE;
  await surveyRows(batch, { states, skipsPaid: asking.skipsPaid, paid, signal }, world);
  paid.throwIfAny(asking.ways);
  return { seenChanges, askedAtMs: clock.monotonic() };
}

/**
 * From now on others see that this batch is sending: who asks about its references is refused, and whoever was here first refuses it.
 * Failed and rejected rows are put back to planned, where that is asked for; answers how many.
 * @throws as `askAll`: nothing has left then
 */
export async function announceSending(
  batch: Batch,
  clearance: Clearance,
  asking: Asking,
  world: ClearanceWorld,
): Promise<number> {
  const { store, knowledge, clock } = world;
  let held = clearance;
  if (clock.monotonic() - held.askedAtMs > HOLDS_MS) {
    await knowledge.bringUpToDate('again');
    held = await askAll(batch, asking, world);
  }
  const renewed = asking.isRetry ? await renewRows(batch, world) : 0;
  while (!(await store.announce(held.seenChanges)))
    held = await askAll(batch, { ...asking, isRetry: false }, world);
  await refuseNewSingles(batch, asking, world);
  return renewed;
}

/** A single create looks at the batches once it is in the book; so the book is looked at once more now that this batch can be seen. */
async function refuseNewSingles(batch: Batch, asking: Asking, world: ClearanceWorld): Promise<void> {
  const { store, knowledge, clock } = world;
  const paid = new PaidRows(clock.now());
  for (const single of await knowledge.newSingles(batch.direction)) {
    const row = await store.rowOfMark(batch.id, Buffer.from(single.referenceMark, 'hex'));
    if (row === null || !isOneOf(SENDABLE, row.state)) continue;
    if (single.isOtherCompany && single.twinMark !== row.twinMark) continue;
    const isFailed = single.isSettled && single.status === 'failed';
    if (!isFailed) paid.add({ ...row, payments: [paymentOf(single, batch)] }, false);
  }
  paid.throwIfAny(asking.ways);
}

function paymentOf(
  { key, isForgotten, operation, status, amount, currency, firstLeftMs, isOtherCompany }: SingleCreate,
  { direction }: Batch,
) {
  return {
    ...{ operation, status: status ?? 'unknown', direction, atMs: firstLeftMs },
    ...{ amount: amount ?? undefined, currency: currency ?? undefined },
    source: { kind: 'request', key, isForgotten } as const,
    isOurs: !isOtherCompany,
  };
}
