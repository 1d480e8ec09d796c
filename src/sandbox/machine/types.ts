/** The shapes the machine works on: an operation as the sandbox holds it, what a step changes, and a refusal. */
import type { EventType } from '../../contract/events.js';
import type { FailureCode, FailureReason } from '../../contract/failures.js';
import type { Operation } from '../../contract/operation-members.js';

/** What the bank will answer, or has answered. */
export type BankVerdict =
  | { readonly status: 'confirmed' }
  | { readonly status: 'failed'; readonly code: FailureCode; readonly reason: FailureReason };

/** What callers never see: who is on the other side, and what will happen by itself. */
export interface Hidden {
  readonly document_type: string | null;
  readonly document_number: string | null;
  readonly phone: string | null;
  readonly bank_code: string | null;
  /** The currency's decimals, so that amounts can be computed without the catalog. */
  readonly decimals: number;
  /** `debit_otp`: resends accepted so far. */
  readonly resends: number;
  /** `debit_otp` while a code is awaited: sandbox time in ms at which it stops being valid, exact where the public field is cut to the second. */
  readonly code_expires_at: number | null;
  /** Sandbox time in ms at which the operation changes by itself (end of window, answer of the bank); null: never. */
  readonly due_at: number | null;
  /** What the bank will answer, where that is settled already: while processing, or by a fault armed at creation. */
  readonly verdict: BankVerdict | null;
  /** While processing: the first lookup by a client settles it already (document 00000002). */
  readonly settles_on_lookup: boolean;
}

/** One operation as the sandbox holds it. */
export interface OperationRecord {
  readonly operation: Operation;
  readonly hidden: Hidden;
}

/**
 * One movement of a company's balance in one currency, in minor units, never negative.
 * `reserve` available -> reserved, `release` back, `capture` out of reserved, `credit` into available, `fee` out of available.
 */
export interface LedgerEntry {
  readonly kind: 'reserve' | 'release' | 'capture' | 'credit' | 'fee';
  readonly currency: string;
  readonly minor: bigint;
}

/** What one step of the machine changes: the operation as it is now, the money that moved, the event that is emitted. */
export interface Transition {
  readonly held: OperationRecord;
  readonly entries: readonly LedgerEntry[];
  readonly event: EventType | null;
}

/** What a step may know of the world; everything else is in its arguments. */
export interface Context {
  /** Sandbox time in milliseconds. */
  readonly nowMs: number;
  /** The one valid code. */
  readonly code: string;
  /** Payouts and `direct_debit` stay `processing` this long before their outcome; 0: not at all. */
  readonly settleAfterMs: number;
  /** Takes the next bank reference (eight digits, one counter). */
  readonly bankReference: () => string;
  /** An armed `outcome` fault: overrides what the document number says. */
  readonly verdict: BankVerdict | null;
}
