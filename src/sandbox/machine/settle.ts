/** The last step of every operation, and the `processing` step before it (contract section 3). */
import { DOCUMENT_OUTCOMES } from './documents.js';
import type { Rejection } from '../../contract/create.js';
import { eventTypeOf } from '../../contract/events.js';
import { failure, type FailureCode, type FailureReason } from '../../contract/failures.js';
import { percentOf, toMinor } from '../../contract/money.js';
import { toPending, withState } from './operation.js';
import type { Core, BankVerdict, PlannedVerdict, Context, HiddenData, LedgerEntry } from './operation.js';
import type { OperationRecord, Transition } from './operation.js';

const MOBILE_PAYMENT_FEE_PERCENT = 1n;

export interface Subject {
  readonly operation: Core;
  readonly hidden: HiddenData;
}

export function verdictFor({ operation, hidden }: Subject, context: Context): PlannedVerdict | 'later' {
  const armedVerdict = context.verdict ?? hidden.verdict;
  if (armedVerdict !== null) return armedVerdict;
  const { document_number: number } = hidden;
  const isListed = number !== null && Object.hasOwn(DOCUMENT_OUTCOMES, number);
  const outcome = isListed ? DOCUMENT_OUTCOMES[number] : undefined;
  if (outcome === undefined || (outcome.method ?? operation.method) !== operation.method) return CONFIRMATION;
  return outcome.failure === null ? 'later' : { status: 'failed', ...outcome.failure };
}

export function applyVerdict(subject: Subject, verdict: PlannedVerdict | 'later', context: Context) {
  if (verdict === 'later') {
    const due_at = context.nowMs + ANSWER_DELAY_MS;
    return toProcessing(subject, { due_at, verdict: CONFIRMATION, settles_on_lookup: true }, context);
  }
  return verdict.status === 'pending'
    ? toProcessing(subject, NO_PLAN, context)
    : settleWith(subject, verdict, context);
}

type BankPlan = Pick<HiddenData, 'due_at' | 'verdict' | 'settles_on_lookup'>;

const NO_PLAN: BankPlan = { due_at: null, verdict: null, settles_on_lookup: false };

export const toProcessing = (
  { operation, hidden }: Subject,
  plan: BankPlan,
  { nowMs }: Context,
): Transition => toPending('processing', operation, { ...hidden, code_expires_at: null, ...plan }, nowMs);

export function settleWith(subject: Subject, verdict: BankVerdict, context: Context): Transition {
  const { operation, hidden } = subject;
  const state =
    verdict.status === 'confirmed'
      ? ({ status: 'confirmed', bankReference: context.nextBankReference() } as const)
      : ({ status: 'failed', failure: failure(verdict.code, verdict.reason) } as const);
  return {
    record: {
      operation: withState(operation, state, context.nowMs),
      hidden: { ...hidden, code_expires_at: null, ...NO_PLAN },
    },
    entries: finalEntries(operation, hidden.decimals, verdict.status === 'confirmed'),
    event: eventTypeOf(operation.type, verdict.status),
  };
}

export const fail = (
  subject: Subject,
  code: FailureCode,
  reason: FailureReason,
  context: Context,
): Transition => settleWith(subject, { status: 'failed', code, reason }, context);

export function minorOf({ amount }: Pick<Core, 'amount'>, decimals: number): bigint {
  const minor = toMinor(amount, decimals);
  if (minor === null) throw new RangeError('an operation holds an amount of its currency');
  return minor;
}

function finalEntries(operation: Core, decimals: number, isConfirmed: boolean): LedgerEntry[] {
  const { currency, type, method } = operation;
  const minor = minorOf(operation, decimals);
  if (type === 'payout') return [{ kind: isConfirmed ? 'capture' : 'release', currency, minor }];
  if (!isConfirmed) return [];
  const credit: LedgerEntry = { kind: 'credit', currency, minor };
  const fee = method === 'incoming_mobile_payment' ? percentOf(minor, MOBILE_PAYMENT_FEE_PERCENT) : 0n;
  return fee === 0n ? [credit] : [credit, { kind: 'fee', currency, minor: fee }];
}

export function entriesOf({ operation, hidden }: OperationRecord): readonly LedgerEntry[] {
  const { type, status, currency } = operation;
  const entries =
    status === 'pending' ? [] : finalEntries(operation, hidden.decimals, status === 'confirmed');
  return type === 'payin'
    ? entries
    : [{ kind: 'reserve', currency, minor: minorOf(operation, hidden.decimals) }, ...entries];
}

export function cancel(record: OperationRecord, context: Context): Transition | Rejection {
  const { type, pending_reason: reason } = record.operation;
  const isCancellable = reason === (type === 'payin' ? 'awaiting_payment' : 'processing');
  return isCancellable ? fail(record, 'cancelled', 'cancelled', context) : { refusal: 'not_cancellable' };
}

export const finalVerdict = (planned: PlannedVerdict | null): BankVerdict =>
  planned === null || planned.status === 'pending' ? CONFIRMATION : planned;

export const CONFIRMATION: BankVerdict = { status: 'confirmed' };

const ANSWER_DELAY_MS = 60_000;
