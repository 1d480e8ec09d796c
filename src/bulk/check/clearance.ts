/** Checks every row of a batch before anything leaves, and makes sure that nothing changes between the check and the sending. */
import { isOneOf, OPEN_STATES, RETRIABLE, type RowState, NEVER_SENT } from '../row-state.js';
import { totalsWhere } from '../tally.js';
import type { BatchStore } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import type { RenewedRow, RowResult, ShownRow, ClaimedRow, RowStatus } from '../store/row.js';
import { findingOf } from './row-finding.js';
import { isOfCompany, type Knowledge, NO_EVIDENCE, type EvidenceWorld, paymentsOfRows } from './evidence.js';
import { PaidRows, type NextCommands } from './paid-rows.js';
import { paidSince } from './paid-since.js';
import { mayUseNextKey, paymentNoteBody } from '../../contract/key-use.js';
import { isBefore, paymentsIn, splitPayments, explainedTries, tryOfPayment } from './payments.js';
import { settleTakeover, type TakeoverWorld } from './takeover.js';
import { type Direction, GONE, isFinal } from '../../contract/operation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import {
  contradictedStatus,
  endOf,
  isCheckedAgain,
  KEY_REUSED,
  NO_OPERATION,
  statusOfOperation,
  skippedStatus,
  TOO_OLD,
  waitingStatus,
} from '../run/verdict.js';
import { rowBlocks } from '../store/row-blocks.js';
import { deriveKey, type PaymentTry, sealOf } from '../key.js';

export interface ClearanceWorld extends Pick<TakeoverWorld, 'isRepeatable' | 'onTakenOver'> {
  readonly store: BatchStore;
  readonly knowledge: Knowledge;
  /** The service's time, and the monotonic time of this machine. */
  readonly clock: { now(): number; monotonic(): number };
  readonly signal: AbortSignal;
  /** Called with later payments that may be corrections of rows that were not paid. */
  readonly onPaidSince?: (candidates: readonly string[]) => Promise<void>;
  /** Reads one operation once, with the same checks as when a row's operation is followed. */
  readonly read: (direction: Direction, id: string) => Promise<OperationFacts | null>;
}

export interface ClearanceQuestion {
  /** The states of the rows that are about to leave: `failed` or `rejected` for a retry, else all that can be sent. */
  readonly states: readonly RowState[];
  /** The numbers of the rows that are about to leave, if not all rows in `states` are. */
  readonly only?: ReadonlySet<number>;
  readonly skipsPaid: boolean;
  readonly ways: NextCommands;
}

/** The result of a check, with the facts that say if it still holds. */
export interface Clearance {
  readonly seenChanges: number;
  readonly askedAtMs: number;
  /** The numbers of the rows that a retry sends. */
  readonly retried?: ReadonlySet<number>;
}

const ENDED_STATES = ['confirmed', 'earlier', 'failed'] as const;

/** How long a check holds. A person may think for longer: then the check is repeated before the sending. */
const CHECK_VALID_MS = 60_000;

/** Checks if any row that is about to leave was paid, and records what the feed settles. @throws Failure `unsafe` (`references_paid`); failures of the feed; the signal's reason */
export async function checkAll(
  batch: Batch,
  question: ClearanceQuestion,
  world: ClearanceWorld,
): Promise<Clearance> {
  const { store, knowledge, clock, signal } = world;
  // Results from the feed cannot be recorded while a dead worker has the row.
  await store.endDeadWorkers(batch.id);
  await settleTakeover(batch, world);
  const seenChanges = await store.changes();
  await knowledge.bringUpToDate();
  await settlePending(batch, world);
  await settleContradicted(batch, world);
  const { results, candidates } = await paidSince(batch, world);
  if (results.length > 0) await store.exchange(batch.id, results, null);
  if (candidates.length > 0) await world.onPaidSince?.(candidates);
  if (isOneOf(question.states, 'unknown')) {
    await settleGone(batch, world);
    await settleTooOld(batch, world);
  }
  const paid = new PaidRows(clock.now());
  const retried = new Set<number>();
  await checkRows(batch, { ...question, paid, signal, retried }, world);
  await refusePaid(batch, paid, question, store);
  return { seenChanges, askedAtMs: clock.monotonic(), retried };
}

/** @throws Failure `unsafe` (`references_paid`) if any row was paid, with the line that sends the others */
export async function refusePaid(
  batch: Batch,
  paid: PaidRows,
  { states, ways }: Pick<ClearanceQuestion, 'states' | 'ways'>,
  store: Pick<BatchStore, 'tally'>,
): Promise<void> {
  if (paid.count === 0) return;
  const all = totalsWhere(batch, await store.tally(batch.id), (state) => isOneOf(states, state));
  paid.throwIfAny(ways, all);
}

/**
 * Announces the sending: from now on a check of the same references elsewhere sees this batch and is refused, and an earlier batch refuses this one.
 * A retry sets its failed and rejected rows back to planned, and returns their numbers. Only confirmed rows are retried: others may have failed while
 * the person was deciding.
 * @throws as `checkAll`: then nothing has left
 */
export async function announceSending(
  batch: Batch,
  clearance: Clearance,
  question: ClearanceQuestion,
  world: ClearanceWorld,
): Promise<readonly number[]> {
  const { store, knowledge, clock } = world;
  let current = clearance;
  const isRetry = isOneOf(question.states, 'failed');
  const confirmed = isRetry ? { ...question, only: clearance.retried ?? new Set() } : question;
  if (clock.monotonic() - current.askedAtMs > CHECK_VALID_MS) {
    await knowledge.bringUpToDate('again');
    current = await checkAll(batch, confirmed, world);
  }
  const renewed = isRetry ? await renewRows(batch, world, confirmed) : [];
  // Retried rows are `planned` now, so `resume` continues with them.
  const again = (words: readonly string[]): string => question.ways.resume(batch.name, words);
  const renewal = { states: NEVER_SENT, only: new Set(renewed), ways: { ...question.ways, again } };
  const rowsToSend = isRetry ? { ...question, ...renewal } : question;
  while (!(await store.announce(current.seenChanges))) current = await checkAll(batch, rowsToSend, world);
  await refuseNewSingles(batch, rowsToSend, world);
  return renewed;
}

/** Checks the journal once more, now that others see this batch: a single create checks the batches only after it is recorded. */
async function refuseNewSingles(
  batch: Batch,
  question: ClearanceQuestion,
  world: ClearanceWorld,
): Promise<void> {
  const { store, knowledge, clock } = world;
  const { direction, sinceMs } = batch;
  const paid = new PaidRows(clock.now());
  for (const single of (await knowledge.newSingles(direction)).filter(isOfCompany)) {
    const row = await store.rowOfMark(batch.id, Buffer.from(single.referenceMark, 'hex'));
    if (row === null || !isLeaving(row, question)) continue;
    const payments = paymentsIn({ ...NO_EVIDENCE, singles: [single] }, direction);
    const finding = findingOf({ ...row, direction }, payments, { sinceMs, skipsPaid: false });
    if (finding.kind === 'paid') paid.add({ ...row, payments }, finding.isSkippable);
  }
  await refusePaid(batch, paid, question, store);
}

interface TimedWorld extends EvidenceWorld {
  readonly clock: Pick<ClearanceWorld['clock'], 'now'>;
}

interface CheckWorld extends TimedWorld {
  readonly store: Pick<BatchStore, 'others' | 'rows' | 'pendingRows' | 'exchange' | 'peek' | 'renew'>;
}

function isLeaving(
  { number, state }: ShownRow,
  { states, only }: Pick<ClearanceQuestion, 'states' | 'only'>,
): boolean {
  return isOneOf(states, state) && only?.has(number) !== false;
}

/**
 * Checks every row in these states. Settles open rows by the feed, records paid rows that may be skipped as `earlier`, and adds other paid rows to
 * `paid`. A row that never left gets the key that a plan would give it now: since it was planned, tries of its payment may have failed elsewhere, and
 * a try that is under way there has the next key.
 * @throws the signal's reason; anything that the store and the feed throw
 */
export async function checkRows(
  batch: Batch,
  options: Omit<ClearanceQuestion, 'ways'> &
    Pick<ClearanceWorld, 'signal'> & { paid: PaidRows; retried?: Set<number> },
  world: CheckWorld,
): Promise<void> {
  const { states, skipsPaid, paid, signal } = options;
  for await (const block of rowBlocks((...block) => world.store.rows(batch.id, ...block, states))) {
    const rows = block.filter((row) => isLeaving(row, options));
    signal.throwIfAborted();
    const results: RowResult[] = [];
    const renewed: RenewedRow[] = [];
    for (const { row, finding, next } of await findingsOf(batch, rows, skipsPaid, world)) {
      if (finding.kind === 'send' && isOneOf(NEVER_SENT, row.state)) {
        if (next.follows === row.follows && next.generation === row.generation) continue;
        const claim = { after: row.number - 1, count: 1, states: [row.state] };
        const claimed = await world.store.peek(batch.id, claim);
        renewed.push(...claimed.map((one) => renewRow(one, next, batch)));
      } else if (finding.kind === 'send') options.retried?.add(row.number);
      else if (finding.kind === 'waits') paid.addWaiting(row, finding.payment);
      else if (finding.kind === 'paid') paid.add({ ...row, payments: finding.payments }, finding.isSkippable);
      else if ('standing' in finding) results.push(resultOf(row, finding.standing));
    }
    if (results.length > 0) await world.store.exchange(batch.id, results, null);
    if (renewed.length > 0) await world.store.renew(batch.id, renewed);
  }
}

/** Records the end that the feed has for each row whose operation was pending. */
async function settlePending(batch: Batch, { store, knowledge }: CheckWorld): Promise<void> {
  for await (const rows of rowBlocks((...block) => store.pendingRows(batch.id, ...block))) {
    const operations = await knowledge.ofIds(rows.flatMap(({ operation }) => operation ?? []));
    const results = rows.flatMap((row) => {
      const operation = operations.get(row.operation ?? '');
      const rowStatus = operation === undefined ? null : endOf(row, operation);
      return rowStatus === null ? [] : [resultOf(row, rowStatus)];
    });
    if (results.length > 0) await store.exchange(batch.id, results, null);
  }
}

/** Lets each row whose end differs from the feed's wait for a person. Its operation counts as paid everywhere. */
async function settleContradicted(batch: Batch, { store, knowledge }: CheckWorld): Promise<void> {
  for await (const rows of rowBlocks((...block) => store.rows(batch.id, ...block, ENDED_STATES))) {
    const ends = rows.flatMap(({ operation, status }) =>
      operation === null || status === null ? [] : [[operation, status] as const],
    );
    const contradicted = await knowledge.contradicted(new Map(ends));
    const results = rows.flatMap((row) => {
      const operation = contradicted.get(row.operation ?? '');
      return operation === undefined ? [] : [resultOf(row, contradictedStatus(operation))];
    });
    if (results.length > 0) await store.exchange(batch.id, results, null);
  }
}

/** Settles rows whose operation was gone, if the service has the operation again. */
async function settleGone(batch: Batch, { store, read }: ClearanceWorld): Promise<void> {
  for await (const rows of rowBlocks((...block) => store.rows(batch.id, ...block, OPEN_STATES))) {
    const results: RowResult[] = [];
    for (const row of rows.filter(({ status }) => status === GONE)) {
      const operation = await read(batch.direction, row.operation ?? '');
      if (operation === null || operation.status === GONE) continue;
      const { sentAtMs } = row;
      const rowStatus = sentAtMs === null ? skippedStatus(operation) : statusOfOperation(operation, sentAtMs);
      results.push(resultOf(row, rowStatus));
    }
    if (results.length > 0) await store.exchange(batch.id, results, null);
  }
}

/** Settles rows that were too old to be sent, if the feed now has their outcome. Checks rows of unknown age and blocked rows again. */
async function settleTooOld(batch: Batch, world: CheckWorld): Promise<void> {
  const { store } = world;
  for await (const waiting of rowBlocks((...block) => store.rows(batch.id, ...block, ['needs_review']))) {
    // An older version of svc may have written an operation into a waiting row. It settled nothing, so it does not count.
    const rows = waiting
      .filter((row) => [TOO_OLD.code, KEY_REUSED].includes(row.code) || isCheckedAgain(row))
      .map((row) => ({ ...row, operation: row.status === GONE ? row.operation : null }));
    const results = (await findingsOf(batch, rows, false, world)).flatMap(({ row, finding }) => {
      const found = finding.kind === 'settled' ? finding.standing : null;
      if (row.code === KEY_REUSED) {
        // Other data used the row's key. One matching payment of the reference counts as an older payment, never as the row's own.
        if (typeof found?.operation !== 'string' || found.state === 'needs_review') return [];
        return [resultOf(row, { ...found, state: 'earlier', code: 'older_payment' })];
      }
      if (found !== null) return [resultOf(row, found)];
      const state = row.sentAtMs === null ? 'planned' : 'unknown';
      return isCheckedAgain(row) ? [resultOf(row, { ...row, state })] : [];
    });
    if (results.length > 0) await store.exchange(batch.id, results, null);
  }
}

async function findingsOf(batch: Batch, rows: readonly ShownRow[], skipsPaid: boolean, world: CheckWorld) {
  const evidence = await paymentsOfRows(batch, rows, world);
  return evidence.map(({ row, known, payments }) => {
    const { direction, sinceMs } = batch;
    const finding = findingOf({ ...row, direction }, payments, { sinceMs, skipsPaid });
    return { row, finding, next: tryOfPayment(known, { ...batch, nowMs: world.clock.now() }, row) };
  });
}

function resultOf(row: ShownRow, rowStatus: Omit<RowResult, 'number' | 'sentAtMs'>): RowResult {
  return { number: row.number, sentAtMs: row.sentAtMs, before: row.state, ...rowStatus };
}

/** Returns the row with the key of the given try. */
export function renewRow(
  row: ClaimedRow,
  { follows, generation }: PaymentTry,
  batch: Pick<Batch, 'environment' | 'direction'>,
): RenewedRow {
  const key = deriveKey({ ...batch, ...row, follows, generation });
  const sealedRow = { ...row, body: Buffer.from(row.body).toString('utf8'), follows, generation, key };
  return { ...row, follows, generation, key, seal: sealOf(sealedRow) };
}

/**
 * Sets failed and rejected rows back to planned. Returns their numbers. A failed operation keeps its key for ever, so its row gets the next one. A
 * rejected row, or one that a person called not paid, leaves with the same key: if it was paid after all, the service answers with that payment.
 */
export async function renewRows(
  batch: Batch,
  world: TimedWorld & { readonly store: Pick<BatchStore, 'others' | 'rows' | 'peek' | 'renew'> },
  { only }: Pick<ClearanceQuestion, 'only'> = {},
): Promise<number[]> {
  const { store, clock } = world;
  const renewed: number[] = [];
  for await (const block of rowBlocks((...range) => store.rows(batch.id, ...range, RETRIABLE))) {
    const rows = block.filter(({ number }) => only?.has(number) !== false);
    const [first] = rows;
    if (first === undefined) continue;
    const evidence = new Map((await paymentsOfRows(batch, rows, world)).map((one) => [one.row.number, one]));
    const claim = { after: first.number - 1, count: block.length, states: RETRIABLE };
    const again = (await store.peek(batch.id, claim)).flatMap((row) => {
      const { row: is, known } = evidence.get(row.number) ?? {};
      if (is === undefined || known === undefined) return [];
      const isFailed = is.state === 'failed' && is.operation !== null;
      const passed = { follows: row.follows, generation: row.generation + (isFailed ? 1 : 0) };
      return [renewRow(row, tryOfPayment(known, { ...batch, nowMs: clock.now() }, passed), batch)];
    });
    await store.renew(batch.id, again);
    renewed.push(...rows.map(({ number }) => number));
  }
  return renewed;
}

/**
 * Decides about a row whose key was used before. After an older payment that failed, the row takes the key of the next try. If `--new-since` excludes
 * the older payment, the row follows it. If other data used the key (`made` is null), the feed must explain that by tries that failed lately, without
 * a payment. Null: the row has come to its end.
 */
export function moveOnRule(
  batch: Pick<Batch, 'id' | 'environment' | 'direction' | 'company' | 'sinceMs'>,
  world: TimedWorld,
): (row: ClaimedRow, made: OperationFacts | null, isOpen: boolean) => Promise<RenewedRow | RowStatus | null> {
  const { direction, sinceMs } = batch;
  return async (row, made, isOpen) => {
    const nextTry = { follows: row.follows, generation: row.generation + 1 };
    if (made?.status === 'failed') return renewRow(row, nextTry, batch);
    if (made === null) await world.knowledge.bringUpToDate('again');
    const [evidence] = await paymentsOfRows(batch, [row], world);
    const { known, payments } = evidence ?? { known: NO_EVIDENCE, payments: [] };
    const nowMs = world.clock.now();
    if (made === null) {
      const { keys } = world.knowledge;
      const rules = { direction, sinceMs, nowMs, openSinceMs: isOpen ? row.sentAtMs : null };
      const isExplained = row.generation <= explainedTries(known, rules);
      const [paid] = splitPayments(payments, { sinceMs }).after;
      if (paid !== undefined) {
        // The reference has a payment, which may be the one that used the key. It never confirms the row.
        const which =
          paid.operation === null ? 'an open request of its reference' : `operation ${paid.operation}`;
        const detail = `The service got other data under its key. There is ${which}. A person decides.`;
        return { ...NO_OPERATION, state: 'needs_review', code: KEY_REUSED, detail };
      }
      const used = await keys.used(
        { key: row.key, body: row.body, direction, hasOpenAttempt: isOpen },
        isExplained,
      );
      if (await mayUseNextKey(used)) return renewRow(row, nextTry, batch);
      await keys.note(row.key, 'used', paymentNoteBody(direction, row.reference));
      return null;
    }
    if (!isBefore({ operation: made.id, atMs: made.createdAtMs }, sinceMs)) return null;
    if (!isFinal(made.status)) return waitingStatus(row.before, made);
    const all = { ...known, operations: [...known.operations, made] };
    return renewRow(row, tryOfPayment(all, { direction, sinceMs, nowMs }), batch);
  };
}
