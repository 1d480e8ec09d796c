/** The last step of every operation, and the one before it: the bank's verdict, now or later (section 3). */
import { DOCUMENT_OUTCOMES } from './documents.js';
import type { Rejection } from '../../contract/create.js';
import { eventTypeOf } from '../../contract/events.js';
import { failure, type FailureCode, type FailureReason } from '../../contract/failures.js';
import { percentOf, toMinor } from '../../contract/money.js';
import {
  type Core,
  revise,
  type BankVerdict,
  type ComingVerdict,
  type Context,
  type Hidden,
  type LedgerEntry,
  type OperationRecord,
  type Transition,
} from './operation.js';

/** The fee of a received mobile payment, in percent of its amount; nothing else has one. */
const MOBILE_PAYMENT_FEE_PERCENT = 1n;

/** An operation before the step: a held one, or one that is being created. */
export interface Subject {
  readonly operation: Core;
  readonly hidden: Hidden;
}

/**
 * What the bank answers here: an armed fault's verdict first, else what the document number of payer or beneficiary says (last table of
 * section 3), the same for pay-ins and payouts; `later` where it comes later (and is `confirmed` then).
 */
export function verdictFor({ operation, hidden }: Subject, context: Context): ComingVerdict | 'later' {
  const given = context.verdict ?? hidden.verdict;
  if (given !== null) return given;
  const { document_number: number } = hidden;
  const isListed = number !== null && Object.hasOwn(DOCUMENT_OUTCOMES, number);
  const outcome = isListed ? DOCUMENT_OUTCOMES[number] : undefined;
  if (outcome === undefined || (outcome.method ?? operation.method) !== operation.method) return CONFIRMED;
  return outcome.failure === null ? 'later' : { status: 'failed', ...outcome.failure };
}

/** Carries the bank's answer out: final now, or `processing` where it comes later or not by itself. */
export function answer(subject: Subject, verdict: ComingVerdict | 'later', context: Context): Transition {
  if (verdict === 'later')
    return process(subject, { verdict: CONFIRMED, afterMs: ANSWER_DELAY_MS, settlesOnLookup: true }, context);
  return verdict.status === 'pending'
    ? process(subject, null, context)
    : settleWith(subject, verdict, context);
}

/** Pending / processing until the verdict falls due. @param coming null where somebody has to settle it */
export function process(
  { operation, hidden }: Subject,
  coming: {
    readonly verdict: BankVerdict;
    readonly afterMs: number;
    readonly settlesOnLookup: boolean;
  } | null,
  { nowMs }: Context,
): Transition {
  return {
    held: {
      operation: revise(operation, { status: 'pending', reason: 'processing' }, nowMs),
      hidden: {
        ...hidden,
        code_expires_at: null,
        due_at: coming === null ? null : nowMs + coming.afterMs,
        verdict: coming?.verdict ?? null,
        settles_on_lookup: coming?.settlesOnLookup ?? false,
      },
    },
    entries: [],
    event: null,
  };
}

/** The final step: nothing happens to the operation by itself any more, its money moves, and its one event is emitted. */
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
    held: {
      operation: revise(operation, state, context.nowMs),
      hidden: { ...hidden, code_expires_at: null, due_at: null, verdict: null, settles_on_lookup: false },
    },
    entries: movements(operation, hidden.decimals, verdict.status === 'confirmed'),
    event: eventTypeOf(operation.type, verdict.status),
  };
}

/** The final step of an operation that failed. */
export function fail(
  subject: Subject,
  code: FailureCode,
  reason: FailureReason,
  context: Context,
): Transition {
  return settleWith(subject, { status: 'failed', code, reason }, context);
}

/** The amount of an operation in minor units. */
export function minorOf({ amount }: Pick<Core, 'amount'>, decimals: number): bigint {
  const minor = toMinor(amount, decimals);
  if (minor === null) throw new RangeError('an operation holds an amount of its currency');
  return minor;
}

/** What the last step of an operation moves; a payout's reservation was moved by its first. */
function movements(operation: Core, decimals: number, isConfirmed: boolean): LedgerEntry[] {
  const { currency, type, method } = operation;
  const minor = minorOf(operation, decimals);
  if (type === 'payout') return [{ kind: isConfirmed ? 'capture' : 'release', currency, minor }];
  if (!isConfirmed) return [];
  const credit: LedgerEntry = { kind: 'credit', currency, minor };
  const fee = method === 'incoming_mobile_payment' ? percentOf(minor, MOBILE_PAYMENT_FEE_PERCENT) : 0n;
  return fee === 0n ? [credit] : [credit, { kind: 'fee', currency, minor: fee }];
}

/** Every movement of an operation so far. */
export function entriesOf({ operation, hidden }: OperationRecord): readonly LedgerEntry[] {
  const { type, status, currency } = operation;
  const last = status === 'pending' ? [] : movements(operation, hidden.decimals, status === 'confirmed');
  return type === 'payin'
    ? last
    : [{ kind: 'reserve', currency, minor: minorOf(operation, hidden.decimals) }, ...last];
}

/** Failed / cancelled, a payout's amount back in available; `not_cancellable` for everything else. */
export function cancel(held: OperationRecord, context: Context): Transition | Rejection {
  const { type, pending_reason: reason } = held.operation;
  const isCancellable = reason === (type === 'payin' ? 'awaiting_payment' : 'processing');
  return isCancellable ? fail(held, 'cancelled', 'cancelled', context) : { refusal: 'not_cancellable' };
}

/** What is carried out at last: nothing else was to come where no answer was. */
export function finalOf(coming: ComingVerdict | null): BankVerdict {
  return coming === null || coming.status === 'pending' ? CONFIRMED : coming;
}

export const CONFIRMED: BankVerdict = { status: 'confirmed' };

/** How long an answer that is not available at once takes, in sandbox time, unless a lookup asks for it before. */
const ANSWER_DELAY_MS = 60_000;
