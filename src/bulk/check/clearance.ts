/** Before anything of a batch leaves: everything that is about to is asked, and nothing may have changed until it does. */
import { Failure } from '../../runtime/failure.js';
import { isOneOf, RETRIABLE, SENDABLE, type RowState } from '../row-state.js';
import { renewRows } from '../run/renewal.js';
import { isMore, totalsWhere } from '../tally.js';
import type { BatchStore } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import type { TallyEntry } from '../store/row.js';
import { findingOf } from './finding.js';
import { isOfCompany, type Knowledge, NO_EVIDENCE } from './evidence.js';
import { PaidRows, type WaysOn } from './paid-rows.js';
import { paymentsIn } from './payments.js';
import { settlePending, settleTooOld, surveyRows } from './survey.js';
import { settleTakeover, type TakeoverWorld } from './takeover.js';

export interface ClearanceWorld extends Pick<TakeoverWorld, 'isRepeatable' | 'onTakenOver'> {
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
  await settleTakeover(batch, world);
  const seenChanges = await store.changes();
  await knowledge.bringUpToDate();
  await settlePending(batch, world);
  await settleTooOld(batch, world);
  const paid = new PaidRows(clock.now());
  const states: readonly RowState[] = asking.isRetry ? [...SENDABLE, ...RETRIABLE] : SENDABLE;
  await surveyRows(batch, { states, skipsPaid: asking.skipsPaid, paid, signal }, world);
  await refusePaid(batch, paid, asking, store);
  return { seenChanges, askedAtMs: clock.monotonic() };
}

/** @throws Failure `unsafe` (`references_paid`) where anything of it was paid, with the line that sends what is left */
export async function refusePaid(
  batch: Batch,
  paid: PaidRows,
  { isRetry, ways }: Pick<Asking, 'isRetry' | 'ways'>,
  store: Pick<BatchStore, 'tally'>,
): Promise<void> {
  if (paid.count === 0) return;
  const states: readonly RowState[] = isRetry ? [...SENDABLE, ...RETRIABLE] : SENDABLE;
  const tally = await store.tally(batch.id);
  paid.throwIfAny(
    ways,
    totalsWhere(batch, tally, (state) => isOneOf(states, state)),
  );
}

/**
 * From now on others see that this batch is sending: who asks about its references is refused, and whoever was here first refuses it.
 * Failed and rejected rows are put back to planned, where that is asked for; answers how many. What failed while somebody was thinking is more
 * than was confirmed, and does not start anew.
 * @throws as `askAll`, and `unsafe` (`total_differs`): nothing has left then
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
    const confirmed = await store.tally(batch.id);
    await knowledge.bringUpToDate('again');
    held = await askAll(batch, asking, world);
    if (asking.isRetry) requireNoMore(confirmed, await store.tally(batch.id), asking.ways);
  }
  const renewed = asking.isRetry ? await renewRows(batch, world) : 0;
  const left = asking.isRetry ? onceRenewed(batch, asking) : asking;
  while (!(await store.announce(held.seenChanges))) held = await askAll(batch, left, world);
  await refuseNewSingles(batch, left, world);
  return renewed;
}

/** Rows that were renewed are planned ones: it is `resume` that goes on with them. */
function onceRenewed({ name }: Batch, { skipsPaid, ways }: Asking): Asking {
  const again = (words: readonly string[]): string => ways.resume(name, words);
  return { isRetry: false, skipsPaid, ways: { ...ways, again } };
}

function requireNoMore(confirmed: readonly TallyEntry[], now: readonly TallyEntry[], ways: WaysOn): void {
  if (!isMore(now, confirmed, (state) => isOneOf(RETRIABLE, state))) return;
  const command = ways.again([], null);
  throw new Failure('unsafe', 'More rows have failed since you confirmed the total. Nothing was sent.', {
    code: 'total_differs',
    outcome: 'not_sent',
    advice: command === null ? [] : [`To see the new total and confirm it: ${command}`],
    nextCommand: command ?? undefined,
  });
}

/** A single create looks at the batches once it is in the book; so the book is looked at once more now that this batch can be seen. */
async function refuseNewSingles(batch: Batch, asking: Asking, world: ClearanceWorld): Promise<void> {
  const { store, knowledge, clock } = world;
  const paid = new PaidRows(clock.now());
  for (const single of (await knowledge.newSingles(batch.direction)).filter(isOfCompany)) {
    const row = await store.rowOfMark(batch.id, Buffer.from(single.referenceMark, 'hex'));
    if (row === null || !isOneOf(SENDABLE, row.state)) continue;
    const payments = paymentsIn({ ...NO_EVIDENCE, singles: [single] }, batch.direction);
    const rules = { sinceMs: batch.sinceMs, skipsPaid: false };
    const finding = findingOf({ ...row, direction: batch.direction }, payments, rules);
    if (finding.kind === 'paid') paid.add({ ...row, payments }, finding.isSkippable);
  }
  await refusePaid(batch, paid, asking, store);
}
