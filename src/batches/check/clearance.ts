import {
  isOneOf,
  OPEN_STATES,
  RETRIABLE,
  type RowState,
  NEVER_SENT,
} from '../../storage/batches/row-state.js';
import { totalsWhere } from '../../storage/batches/tally.js';
import type { Batch, BatchStore } from '../../storage/batches/batch-store.js';
import type { RenewedRow, RowResult, ShownRow, ClaimedRow } from '../../storage/batches/row.js';
import { decideRow } from '../../payments/decide.js';
import {
  mayBeOwn,
  type Knowledge,
  NO_EVIDENCE,
  type EvidenceWorld,
  paymentsOfRows,
} from '../../payments/known/evidence.js';
import { PaidRows, type NextCommands } from './paid-rows.js';
import { findCorrections } from './paid-since.js';
import { mayUseNextKey, paymentNoteBody } from '../../contract/key-use.js';
import {
  isExcluded,
  paymentsIn,
  splitPayments,
  countExplained,
  tryOfPayment,
} from '../../payments/known/payments.js';
import { settleTakeover, type TakeoverWorld } from './takeover.js';
import { type Direction, GONE, isFinal } from '../../contract/operation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import {
  contradictedStatus,
  rowStatusAfter,
  mayBeSettledByRun,
  NO_OPERATION,
  statusOfOperation,
  skippedStatus,
  TOO_OLD_STATUS,
  waitingStatus,
} from '../../payments/known/row-outcome.js';
import { rowBlocks } from '../../storage/batches/row-blocks.js';
import { deriveKey, type PaymentTry } from '../../payments/known/key.js';
import { sealOf } from '../../storage/batches/seal.js';
import { KEY_REUSED } from '../../contract/attempt.js';
import type { HandleUsedKey } from '../run/engine.js';

export interface ClearanceWorld extends Pick<TakeoverWorld, 'isRepeatable' | 'signal' | 'note'> {
  readonly store: BatchStore;
  readonly knowledge: Knowledge;
  readonly clock: { now(): number; monotonic(): number };
  readonly read: (direction: Direction, id: string) => Promise<OperationFacts | null>;
}

export interface ClearanceQuestion {
  readonly states: readonly RowState[];
  readonly rowNumbers?: ReadonlySet<number>;
  readonly skipsPaid: boolean;
  readonly commands: NextCommands;
}

export interface Clearance {
  readonly seenChanges: number;
  readonly checkedAtMs: number;
  readonly retriedNumbers?: ReadonlySet<number>;
}

const NAMED_PAYMENTS_MAX = 20;
const ENDED_STATES = ['confirmed', 'earlier', 'failed'] as const;

const CHECK_VALID_MS = 60_000;

export async function checkBatch(batch: Batch, question: ClearanceQuestion, world: ClearanceWorld) {
  const { store, knowledge, clock, signal } = world;
  // Ends dead workers first, because the store records no results for rows that a worker holds.
  await store.endDeadWorkers(batch.id);
  await settleTakeover(batch, world);
  const seenChanges = await store.changes();
  await knowledge.bringUpToDate();
  await settlePending(batch, world);
  await settleContradicted(batch, world);
  const { results, candidates } = await findCorrections(batch, world);
  if (results.length > 0) await store.exchange(batch.id, results, null);
  if (candidates.length > 0)
    await world.note(
      `Rows stay unpaid, and svc cannot tell whether these later payments are theirs: ${candidates.slice(0, NAMED_PAYMENTS_MAX).join(', ')}.`,
    );
  if (isOneOf(question.states, 'unknown')) {
    await settleGone(batch, world);
    await settleTooOld(batch, world);
  }
  const paid = new PaidRows(clock.now());
  const retriedNumbers = new Set<number>();
  await checkRows(batch, { ...question, paid, signal, retriedNumbers }, world);
  await refusePaid(batch, paid, question, store);
  return { seenChanges, checkedAtMs: clock.monotonic(), retriedNumbers };
}

export async function refusePaid(
  batch: Batch,
  paid: PaidRows,
  { states, commands }: Pick<ClearanceQuestion, 'states' | 'commands'>,
  store: Pick<BatchStore, 'tally'>,
): Promise<void> {
  if (paid.count === 0) return;
  const totals = totalsWhere(batch, await store.tally(batch.id), (state) => isOneOf(states, state));
  paid.throwIfAny(commands, totals);
}

export async function announceSending(
  batch: Batch,
  clearance: Clearance,
  question: ClearanceQuestion,
  world: ClearanceWorld,
): Promise<readonly number[]> {
  const { store, knowledge, clock } = world;
  let current = clearance;
  const isRetry = isOneOf(question.states, 'failed');
  const confirmedQuestion = isRetry
    ? { ...question, rowNumbers: clearance.retriedNumbers ?? new Set() }
    : question;
  if (clock.monotonic() - current.checkedAtMs > CHECK_VALID_MS) {
    await knowledge.bringUpToDate('again');
    current = await checkBatch(batch, confirmedQuestion, world);
  }
  const renewedNumbers = isRetry ? await renewRows(batch, world, confirmedQuestion) : [];
  const withWords = (words: readonly string[]): string => question.commands.resume(batch.name, words);
  const renewal = {
    states: NEVER_SENT,
    rowNumbers: new Set(renewedNumbers),
    commands: { ...question.commands, withWords },
  };
  const sendingQuestion = isRetry ? { ...question, ...renewal } : question;
  while (!(await store.announce(current.seenChanges)))
    current = await checkBatch(batch, sendingQuestion, world);
  await refuseNewSingles(batch, sendingQuestion, world);
  return renewedNumbers;
}

/** A single payment that was recorded before `announce` did not see this batch, so the batch looks for it here. */
async function refuseNewSingles(batch: Batch, question: ClearanceQuestion, world: ClearanceWorld) {
  const { store, knowledge, clock } = world;
  const { direction, sinceMs } = batch;
  const paid = new PaidRows(clock.now());
  for (const single of (await knowledge.newSingles(direction)).filter(mayBeOwn)) {
    const row = await store.rowOfMark(batch.id, Buffer.from(single.referenceMark, 'hex'));
    if (row === null || !isLeaving(row, question)) continue;
    const payments = paymentsIn({ ...NO_EVIDENCE, singles: [single] }, direction);
    const finding = decideRow({ ...row, direction }, payments, { sinceMs, skipsPaid: false });
    if (finding.kind === 'paid') paid.add({ ...row, payments }, finding.isSkippable);
  }
  await refusePaid(batch, paid, question, store);
}

type TimedWorld = EvidenceWorld & { readonly clock: Pick<ClearanceWorld['clock'], 'now'> };

interface CheckWorld extends TimedWorld {
  readonly store: Pick<BatchStore, 'others' | 'rows' | 'pendingRows' | 'exchange' | 'peek' | 'renew'>;
}

function isLeaving(
  { number, state }: ShownRow,
  { states, rowNumbers }: Pick<ClearanceQuestion, 'states' | 'rowNumbers'>,
): boolean {
  return isOneOf(states, state) && rowNumbers?.has(number) !== false;
}

export async function checkRows(
  batch: Batch,
  options: Omit<ClearanceQuestion, 'commands'> &
    Pick<ClearanceWorld, 'signal'> & { paid: PaidRows; retriedNumbers?: Set<number> },
  world: CheckWorld,
): Promise<void> {
  const { states, skipsPaid, paid, signal } = options;
  for await (const block of rowBlocks((...range) => world.store.rows(batch.id, ...range, states))) {
    const rows = block.filter((row) => isLeaving(row, options));
    signal.throwIfAborted();
    const results: RowResult[] = [];
    const renewedRows: RenewedRow[] = [];
    for (const { row, finding, nextTry } of await findingsOf(batch, rows, skipsPaid, world)) {
      if (finding.kind === 'send' && isOneOf(NEVER_SENT, row.state)) {
        if (nextTry.follows === row.follows && nextTry.generation === row.generation) continue;
        const claim = { after: row.number - 1, count: 1, states: [row.state] };
        const claimedRows = await world.store.peek(batch.id, claim);
        renewedRows.push(...claimedRows.map((claimedRow) => renewRow(claimedRow, nextTry, batch)));
      } else if (finding.kind === 'send') options.retriedNumbers?.add(row.number);
      else if (finding.kind === 'waits') paid.addWaiting(row, finding.payment);
      else if (finding.kind === 'paid') paid.add({ ...row, payments: finding.payments }, finding.isSkippable);
      else if ('rowStatus' in finding) results.push(resultOf(row, finding.rowStatus));
    }
    if (results.length > 0) await world.store.exchange(batch.id, results, null);
    if (renewedRows.length > 0) await world.store.renew(batch.id, renewedRows);
  }
}

async function settlePending(batch: Batch, { store, knowledge }: CheckWorld): Promise<void> {
  for await (const rows of rowBlocks((...range) => store.pendingRows(batch.id, ...range))) {
    const operations = await knowledge.findByIds(rows.flatMap(({ operation }) => operation ?? []));
    const results = rows.flatMap((row) => {
      const operation = operations.get(row.operation ?? '');
      const rowStatus = operation === undefined ? null : rowStatusAfter(row, operation);
      return rowStatus === null ? [] : [resultOf(row, rowStatus)];
    });
    if (results.length > 0) await store.exchange(batch.id, results, null);
  }
}

async function settleContradicted(batch: Batch, { store, knowledge }: CheckWorld): Promise<void> {
  for await (const rows of rowBlocks((...range) => store.rows(batch.id, ...range, ENDED_STATES))) {
    const finalStatuses = rows.flatMap(({ operation, status }) =>
      operation === null || status === null ? [] : [[operation, status] as const],
    );
    const contradicted = await knowledge.findContradicted(new Map(finalStatuses));
    const results = rows.flatMap((row) => {
      const operation = contradicted.get(row.operation ?? '');
      return operation === undefined ? [] : [resultOf(row, contradictedStatus(operation))];
    });
    if (results.length > 0) await store.exchange(batch.id, results, null);
  }
}

async function settleGone(batch: Batch, { store, read }: ClearanceWorld): Promise<void> {
  for await (const rows of rowBlocks((...range) => store.rows(batch.id, ...range, OPEN_STATES))) {
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

async function settleTooOld(batch: Batch, world: CheckWorld): Promise<void> {
  const { store } = world;
  for await (const reviewRows of rowBlocks((...range) => store.rows(batch.id, ...range, ['needs_review']))) {
    // Drops any operation that is not `GONE`, because older versions of svc noted some that did not settle the row.
    const rows = reviewRows
      .filter((row) => [TOO_OLD_STATUS.code, KEY_REUSED].includes(row.code) || mayBeSettledByRun(row))
      .map((row) => ({ ...row, operation: row.status === GONE ? row.operation : null }));
    const results = (await findingsOf(batch, rows, false, world)).flatMap(({ row, finding }) => {
      const settledStatus = finding.kind === 'settled' ? finding.rowStatus : null;
      if (row.code === KEY_REUSED) {
        // A request with another body used the row's key, so any payment found counts as an older one.
        if (typeof settledStatus?.operation !== 'string' || settledStatus.state === 'needs_review') return [];
        return [resultOf(row, { ...settledStatus, state: 'earlier', code: 'older_payment' })];
      }
      if (settledStatus !== null) return [resultOf(row, settledStatus)];
      const state = row.sentAtMs === null ? 'planned' : 'unknown';
      return mayBeSettledByRun(row) ? [resultOf(row, { ...row, state })] : [];
    });
    if (results.length > 0) await store.exchange(batch.id, results, null);
  }
}

async function findingsOf(batch: Batch, rows: readonly ShownRow[], skipsPaid: boolean, world: CheckWorld) {
  const evidenceOfRows = await paymentsOfRows(batch, rows, world);
  return evidenceOfRows.map(({ row, evidence, payments }) => {
    const { direction, sinceMs } = batch;
    const finding = decideRow({ ...row, direction }, payments, { sinceMs, skipsPaid });
    return { row, finding, nextTry: tryOfPayment(evidence, { ...batch, nowMs: world.clock.now() }, row) };
  });
}

function resultOf(row: ShownRow, rowStatus: Omit<RowResult, 'number' | 'sentAtMs'>): RowResult {
  return { number: row.number, sentAtMs: row.sentAtMs, stateBefore: row.state, ...rowStatus };
}

function renewRow(
  row: ClaimedRow,
  { follows, generation }: PaymentTry,
  batch: Pick<Batch, 'environment' | 'direction'>,
): RenewedRow {
  const key = deriveKey({ ...batch, ...row, follows, generation });
  const sealedRow = { ...row, body: Buffer.from(row.body).toString('utf8'), follows, generation, key };
  return { ...row, follows, generation, key, seal: sealOf(sealedRow) };
}

export async function renewRows(
  batch: Batch,
  world: TimedWorld & { readonly store: Pick<BatchStore, 'others' | 'rows' | 'peek' | 'renew'> },
  { rowNumbers }: Pick<ClearanceQuestion, 'rowNumbers'> = {},
): Promise<number[]> {
  const { store, clock } = world;
  const renewedNumbers: number[] = [];
  for await (const block of rowBlocks((...range) => store.rows(batch.id, ...range, RETRIABLE))) {
    const rows = block.filter(({ number }) => rowNumbers?.has(number) !== false);
    const [firstRow] = rows;
    if (firstRow === undefined) continue;
    const evidenceByRow = new Map(
      (await paymentsOfRows(batch, rows, world)).map((one) => [one.row.number, one]),
    );
    const claim = { after: firstRow.number - 1, count: block.length, states: RETRIABLE };
    const renewedRows = (await store.peek(batch.id, claim)).flatMap((row) => {
      const { row: shownRow, evidence } = evidenceByRow.get(row.number) ?? {};
      if (shownRow === undefined || evidence === undefined) return [];
      const isFailed = shownRow.state === 'failed' && shownRow.operation !== null;
      // Keeps the key of a row without an operation, because the service answers with the payment if that row was paid after all.
      const leastTry = { follows: row.follows, generation: row.generation + (isFailed ? 1 : 0) };
      return [renewRow(row, tryOfPayment(evidence, { ...batch, nowMs: clock.now() }, leastTry), batch)];
    });
    await store.renew(batch.id, renewedRows);
    renewedNumbers.push(...rows.map(({ number }) => number));
  }
  return renewedNumbers;
}

export function usedKeyRule(
  batch: Pick<Batch, 'id' | 'environment' | 'direction' | 'company' | 'sinceMs'>,
  world: TimedWorld,
): HandleUsedKey {
  const { direction, sinceMs } = batch;
  return async (row, olderPayment, isOpen) => {
    const nextTry = { follows: row.follows, generation: row.generation + 1 };
    if (olderPayment?.status === 'failed') return renewRow(row, nextTry, batch);
    if (olderPayment === null) await world.knowledge.bringUpToDate('again');
    const [rowEvidence] = await paymentsOfRows(batch, [row], world);
    const { evidence, payments } = rowEvidence ?? { evidence: NO_EVIDENCE, payments: [] };
    const nowMs = world.clock.now();
    if (olderPayment === null) {
      const { keyNotes } = world.knowledge;
      const rules = { direction, sinceMs, nowMs, openSinceMs: isOpen ? row.sentAtMs : null };
      const isExplained = row.generation <= countExplained(evidence, rules);
      const [payment] = splitPayments(payments, { sinceMs }).blocking;
      if (payment !== undefined) {
        const obstacle =
          payment.operation === null ? 'an open request of its reference' : `operation ${payment.operation}`;
        const detail = `The service got other data under its key. There is ${obstacle}. A person decides.`;
        return { ...NO_OPERATION, state: 'needs_review', code: KEY_REUSED, detail };
      }
      const keyUse = { body: row.body, hasOpenAttempt: isOpen, isExplained };
      const usedKey = await keyNotes.lookUpUsed(row.key, direction, keyUse);
      if (await mayUseNextKey(usedKey)) return renewRow(row, nextTry, batch);
      await keyNotes.note(row.key, 'used', paymentNoteBody(direction, row.reference));
      return null;
    }
    if (!isExcluded({ operation: olderPayment.id, atMs: olderPayment.createdAtMs }, sinceMs)) return null;
    if (!isFinal(olderPayment.status)) return waitingStatus(row.stateBefore, olderPayment);
    const allEvidence = { ...evidence, operations: [...evidence.operations, olderPayment] };
    return renewRow(row, tryOfPayment(allEvidence, { direction, sinceMs, nowMs }), batch);
  };
}
