/** Checks every row of a batch before anything leaves, and that nothing changes between the check and the sending. */
import { isOneOf, RETRIABLE, type RowState, NEVER_SENT } from '../row-state.js';
import { totalsWhere } from '../tally.js';
import type { BatchStore } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import type { RenewedRow, RowResult, ShownRow, ClaimedRow } from '../store/row.js';
import { findingOf, type RowFinding } from './row-finding.js';
import {
  isOfCompany,
  type Knowledge,
  NO_EVIDENCE,
  evidenceOf,
  type EvidenceWorld,
  paymentsOfRows,
} from './evidence.js';
import { PaidRows, type WaysOn } from './paid-rows.js';
import { paymentsIn, identityOf, type Identity, generationOf } from './payments.js';
import { settleTakeover, type TakeoverWorld } from './takeover.js';
import { foldReference } from '../../contract/reference.js';
import { endOf, isAskedAgain, TOO_OLD } from '../run/verdict.js';
import { rowBlocks } from '../store/row-blocks.js';
import { deriveKey, sealOf } from '../key.js';

export interface ClearanceWorld extends Pick<TakeoverWorld, 'isRepeatable' | 'onTakenOver'> {
  readonly store: BatchStore;
  readonly knowledge: Knowledge;
  /** The service's time, and what has passed on this machine. */
  readonly clock: { now(): number; monotonic(): number };
  readonly signal: AbortSignal;
}

export interface Asking {
  /** The rows that are about to leave: failed and rejected ones of a retry, all that can be sent of anything else. */
  readonly states: readonly RowState[];
  /** Their numbers, where not all of them leave. */
  readonly only?: ReadonlySet<number>;
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
  // What the events say of a row is lost while somebody who is dead has it in hand.
  await store.release(batch.id);
  await settleTakeover(batch, world);
  const seenChanges = await store.changes();
  await knowledge.bringUpToDate();
  await settlePending(batch, world);
  if (isOneOf(asking.states, 'unknown')) await settleTooOld(batch, world);
  const paid = new PaidRows(clock.now());
  await surveyRows(batch, { ...asking, paid, signal }, world);
  await refusePaid(batch, paid, asking, store);
  return { seenChanges, askedAtMs: clock.monotonic() };
}

/** @throws Failure `unsafe` (`references_paid`) where anything of it was paid, with the line that sends what is left */
export async function refusePaid(
  batch: Batch,
  paid: PaidRows,
  { states, ways }: Pick<Asking, 'states' | 'ways'>,
  store: Pick<BatchStore, 'tally'>,
): Promise<void> {
  if (paid.count === 0) return;
  const tally = await store.tally(batch.id);
  paid.throwIfAny(
    ways,
    totalsWhere(batch, tally, (state) => isOneOf(states, state)),
  );
}

/**
 * From now on others see that this batch sends: a check of its references is refused, and an earlier batch refuses this one.
 * For a retry, failed and rejected rows go back to planned; the answer is their numbers. Only those that were confirmed do: others may have
 * failed while the person was deciding.
 * @throws as `askAll`: nothing has left then
 */
export async function announceSending(
  batch: Batch,
  clearance: Clearance,
  asking: Asking,
  world: ClearanceWorld,
): Promise<readonly number[]> {
  const { store, knowledge, clock } = world;
  let held = clearance;
  if (clock.monotonic() - held.askedAtMs > HOLDS_MS) {
    await knowledge.bringUpToDate('again');
    held = await askAll(batch, asking, world);
  }
  const isRetry = isOneOf(asking.states, 'failed');
  const renewed = isRetry ? await renewRows(batch, world, asking) : [];
  const left = isRetry ? onceRenewed(batch, asking, renewed) : asking;
  while (!(await store.announce(held.seenChanges))) held = await askAll(batch, left, world);
  await refuseNewSingles(batch, left, world);
  return renewed;
}

/** Rows that were renewed are planned ones: it is `resume` that goes on with them. */
function onceRenewed({ name }: Batch, { skipsPaid, ways }: Asking, renewed: readonly number[]): Asking {
  const again = (words: readonly string[]): string => ways.resume(name, words);
  return { states: NEVER_SENT, only: new Set(renewed), skipsPaid, ways: { ...ways, again } };
}

/** A single create checks the batches after it is recorded. So the journal is checked once more, now that others see this batch. */
async function refuseNewSingles(batch: Batch, asking: Asking, world: ClearanceWorld): Promise<void> {
  const { store, knowledge, clock } = world;
  const paid = new PaidRows(clock.now());
  for (const single of (await knowledge.newSingles(batch.direction)).filter(isOfCompany)) {
    const row = await store.rowOfMark(batch.id, Buffer.from(single.referenceMark, 'hex'));
    if (row === null || !isLeaving(row, asking)) continue;
    const payments = paymentsIn({ ...NO_EVIDENCE, singles: [single] }, batch.direction);
    const rules = { sinceMs: batch.sinceMs, skipsPaid: false };
    const finding = findingOf({ ...row, direction: batch.direction }, payments, rules);
    if (finding.kind === 'paid') paid.add({ ...row, payments }, finding.isSkippable);
  }
  await refusePaid(batch, paid, asking, store);
}

interface SurveyWorld extends EvidenceWorld {
  readonly store: Pick<BatchStore, 'others' | 'rows' | 'pendingRows' | 'exchange' | 'peek' | 'renew'>;
}

function isLeaving(
  { number, state }: Pick<ShownRow, 'number' | 'state'>,
  { states, only }: Leaving,
): boolean {
  return isOneOf(states, state) && only?.has(number) !== false;
}

type Leaving = Pick<Asking, 'states' | 'only'>;

interface SurveyOptions extends Leaving {
  readonly skipsPaid: boolean;
  readonly paid: PaidRows;
  readonly signal: AbortSignal;
}

/**
 * Looks at every row in these states. Open ones that the feed settles are settled; those that were paid already and are to be skipped stand
 * as `earlier`; the others that were paid go to `paid`. A row that never left gets the key that a plan would give it now: since it was planned,
 * tries of its payment may have failed elsewhere, and the one that is under way there has the next key.
 * @throws the signal's reason; what the store and the feed throw
 */
export async function surveyRows(batch: Batch, options: SurveyOptions, world: SurveyWorld): Promise<void> {
  const { states, skipsPaid, paid, signal } = options;
  for await (const block of rowBlocks((...block) => world.store.rows(batch.id, ...block, states))) {
    const rows = block.filter((row) => isLeaving(row, options));
    signal.throwIfAborted();
    const results: RowResult[] = [];
    const renewed: RenewedRow[] = [];
    for (const { row, finding, identity } of await findingsOf(batch, rows, skipsPaid, world)) {
      if (finding.kind === 'send' && isOneOf(NEVER_SENT, row.state))
        renewed.push(...(await renewedNow(batch, row, identity, world)));
      else if (finding.kind === 'paid') paid.add({ ...row, payments: finding.payments }, finding.isSkippable);
      else if (finding.kind !== 'send') results.push(resultOf(row, finding.standing));
    }
    if (results.length > 0) await world.store.exchange(batch.id, results, null);
    if (renewed.length > 0) await world.store.renew(batch.id, renewed);
  }
}

/** Gives every row whose operation was pending the end that the feed knows. */
async function settlePending(batch: Batch, { store, knowledge }: SurveyWorld): Promise<void> {
  for await (const rows of rowBlocks((...block) => store.pendingRows(batch.id, ...block))) {
    const ids = rows.flatMap(({ operation }) => (operation === null ? [] : [operation]));
    const operations = await knowledge.ofIds(ids);
    const results = rows.flatMap((row) => {
      const operation = row.operation === null ? undefined : operations.get(row.operation);
      const standing = operation === undefined ? null : endOf(row, operation);
      return standing === null ? [] : [resultOf(row, standing)];
    });
    if (results.length > 0) await store.exchange(batch.id, results, null);
  }
}

/**
 * Rows that are too old to be sent again wait for a person, unless the feed now says their outcome. Rows whose age the clocks did not give,
 * and rows beside an open one of another batch, are checked again.
 */
async function settleTooOld(batch: Batch, world: SurveyWorld): Promise<void> {
  for await (const waiting of rowBlocks((...block) =>
    world.store.rows(batch.id, ...block, ['needs_review']),
  )) {
    // An operation that one of them names is only what older versions had found: nothing has settled it yet.
    const rows = waiting
      .filter((row) => row.code === TOO_OLD.code || isAskedAgain(row))
      .map((row) => ({ ...row, operation: null }));
    const results = (await findingsOf(batch, rows, false, world)).flatMap(({ row, finding }) => {
      if (finding.kind === 'settled') return [resultOf(row, finding.standing)];
      return isAskedAgain(row) ? [resultOf(row, { ...row, state: 'unknown' })] : [];
    });
    if (results.length > 0) await world.store.exchange(batch.id, results, null);
  }
}

interface Found {
  readonly row: ShownRow;
  readonly finding: RowFinding;
  readonly identity: Identity;
}

async function findingsOf(
  batch: Batch,
  rows: readonly ShownRow[],
  skipsPaid: boolean,
  world: SurveyWorld,
): Promise<Found[]> {
  const found = await paymentsOfRows(batch, rows, world);
  return found.map(({ row, known, payments }) => {
    const candidate = { ...row, direction: batch.direction };
    const finding = findingOf(candidate, payments, { sinceMs: batch.sinceMs, skipsPaid });
    return { row, finding, identity: identityOf(known, batch) };
  });
}

function resultOf(
  { number, sentAtMs, state: before }: ShownRow,
  standing: Omit<RowResult, 'number' | 'sentAtMs'>,
): RowResult {
  return { number, sentAtMs, before, ...standing };
}

/** The row under the key of that payment. */
function renewedAs(row: ClaimedRow, { ordinal, generation }: Identity, batch: Batch): RenewedRow {
  const key = deriveKey({ ...batch, ...row, ordinal, generation });
  const sealed = { ...row, body: Buffer.from(row.body).toString('utf8'), ordinal, generation, key };
  return { ...row, ordinal, generation, key, seal: sealOf(sealed) };
}

/**
 * A row that never left, under the key that a plan would give it now; empty where it has that. A person's word counts as a try that nothing else knows of: tries
 * never become fewer.
 */
async function renewedNow(
  batch: Batch,
  row: ShownRow,
  { ordinal, generation: counted }: Identity,
  { store }: { readonly store: Pick<BatchStore, 'peek'> },
): Promise<RenewedRow[]> {
  const generation = ordinal === row.ordinal ? Math.max(counted, row.generation) : counted;
  if (ordinal === row.ordinal && generation === row.generation) return [];
  const bytes = await store.peek(batch.id, { after: row.number - 1, count: 1, states: [row.state] });
  return bytes.map((claimed) => renewedAs(claimed, { ordinal, generation }, batch));
}

/** Puts failed and rejected rows back to planned; answers their numbers. */
export async function renewRows(
  batch: Batch,
  world: EvidenceWorld & { readonly store: Pick<BatchStore, 'others' | 'peek' | 'renew'> },
  { only }: Pick<Asking, 'only'> = {},
): Promise<number[]> {
  const { store } = world;
  const renewed: number[] = [];
  const read = (after: number, count: number) => store.peek(batch.id, { after, count, states: RETRIABLE });
  for await (const block of rowBlocks(read)) {
    const rows = block.filter(({ number }) => only?.has(number) !== false);
    if (rows.length === 0) continue;
    const evidence = await evidenceOf(batch, rows, world);
    const again = rows.map((row) => {
      const known = evidence.get(foldReference(row.reference));
      // The failed operation keeps its key for ever; a rejected request has made none.
      const own = row.generation + (row.before === 'failed' ? 1 : 0);
      const generation = known === undefined ? own : Math.max(own, generationOf(known, row.ordinal, batch));
      return renewedAs(row, { ...row, generation }, batch);
    });
    await store.renew(batch.id, again);
    renewed.push(...rows.map(({ number }) => number));
  }
  return renewed;
}
