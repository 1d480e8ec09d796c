/** The last step of every operation, and the `processing` step before it (section 3). */
import { DOCUMENT_OUTCOMES } from './documents.js';
import type { Rejection } from '../../contract/create.js';
import { eventTypeOf } from '../../contract/events.js';
import { failure, type FailureCode, type FailureReason } from '../../contract/failures.js';
import { percentOf, toMinor } from '../../contract/money.js';
import {
  type Core,
  withState,
  type BankVerdict,
  type PlannedVerdict,
  type Context,
  type HiddenData,
  type LedgerEntry,
  type OperationRecord,
  type Transition,
} from './operation.js';

/** Only an incoming mobile payment has a fee. */
const MOBILE_PAYMENT_FEE_PERCENT = 1n;

/** An operation before a step. A new one has no state yet. */
export interface Subject {
  readonly operation: Core;
  readonly hidden: HiddenData;
}

/**
 * The verdict of an armed fault comes before the outcome of the document number (last table of section 3). `later`: the bank confirms, but
 * later.
 */
export function verdictFor({ operation, hidden }: Subject, context: Context): PlannedVerdict | 'later' {
  const armedVerdict = context.verdict ?? hidden.verdict;
  if (armedVerdict !== null) return armedVerdict;
  const { document_number: number } = hidden;
  const isListed = number !== null && Object.hasOwn(DOCUMENT_OUTCOMES, number);
  const outcome = isListed ? DOCUMENT_OUTCOMES[number] : undefined;
  if (outcome === undefined || (outcome.method ?? operation.method) !== operation.method) return CONFIRMATION;
  return outcome.failure === null ? 'later' : { status: 'failed', ...outcome.failure };
}

export function applyVerdict(
  subject: Subject,
  verdict: PlannedVerdict | 'later',
  context: Context,
): Transition {
  if (verdict === 'later')
    return toProcessing(
      subject,
      { verdict: CONFIRMATION, afterMs: ANSWER_DELAY_MS, settlesOnLookup: true },
      context,
    );
  return verdict.status === 'pending'
    ? toProcessing(subject, null, context)
    : settleWith(subject, verdict, context);
}

/** If `planned` is null, the operation waits until somebody settles it. */
export function toProcessing(
  { operation, hidden }: Subject,
  planned: {
    readonly verdict: BankVerdict;
    readonly afterMs: number;
    readonly settlesOnLookup: boolean;
  } | null,
  { nowMs }: Context,
): Transition {
  return {
    record: {
      operation: withState(operation, { status: 'pending', reason: 'processing' }, nowMs),
      hidden: {
        ...hidden,
        code_expires_at: null,
        due_at: planned === null ? null : nowMs + planned.afterMs,
        verdict: planned?.verdict ?? null,
        settles_on_lookup: planned?.settlesOnLookup ?? false,
      },
    },
    entries: [],
    event: null,
  };
}

/** Moves the money and emits the operation's only event. */
export function settleWith(
  { operation, hidden }: Subject,
  verdict: BankVerdict,
  context: Context,
): Transition {
  const state =
    verdict.status === 'confirmed'
      ? ({ status: 'confirmed', bankReference: context.bankReference() } as const)
      : ({ status: 'failed', failure: failure(verdict.code, verdict.reason) } as const);
  return {
    record: {
      operation: withState(operation, state, context.nowMs),
      hidden: { ...hidden, code_expires_at: null, due_at: null, verdict: null, settles_on_lookup: false },
    },
    entries: finalEntries(operation, hidden.decimals, verdict.status === 'confirmed'),
    event: eventTypeOf(operation.type, verdict.status),
  };
}

export function fail(
  subject: Subject,
  code: FailureCode,
  reason: FailureReason,
  context: Context,
): Transition {
  return settleWith(subject, { status: 'failed', code, reason }, context);
}

export function minorOf({ amount }: Pick<Core, 'amount'>, decimals: number): bigint {
  const minor = toMinor(amount, decimals);
  if (minor === null) throw new RangeError('an operation holds an amount of its currency');
  return minor;
}

/** A payout's amount was reserved by its first step. */
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
  const ending = status === 'pending' ? [] : finalEntries(operation, hidden.decimals, status === 'confirmed');
  return type === 'payin'
    ? ending
    : [{ kind: 'reserve', currency, minor: minorOf(operation, hidden.decimals) }, ...ending];
}

/** A cancelled payout makes its amount available again. */
export function cancel(record: OperationRecord, context: Context): Transition | Rejection {
  const { type, pending_reason: reason } = record.operation;
  const isCancellable = reason === (type === 'payin' ? 'awaiting_payment' : 'processing');
  return isCancellable ? fail(record, 'cancelled', 'cancelled', context) : { refusal: 'not_cancellable' };
}

/** Without a decided verdict the bank confirms. */
export function finalVerdict(planned: PlannedVerdict | null): BankVerdict {
  return planned === null || planned.status === 'pending' ? CONFIRMATION : planned;
}

export const CONFIRMATION: BankVerdict = { status: 'confirmed' };

/** Sandbox time. A lookup brings the answer at once. */
const ANSWER_DELAY_MS = 60_000;
