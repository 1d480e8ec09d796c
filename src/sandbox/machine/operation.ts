/**
 * An operation in the state machine: the types of its steps, the fields of each state in the order of section 2.1, the texts of the service
 * (sections 1 and 5), and the effect of a movement on a balance (section 3).
 */
import { ECHOED, type Echoed } from '../../contract/body-fields.js';
import type { OperationFailure, FailureCode, FailureReason } from '../../contract/failures.js';
import type { Direction, PendingReason } from '../../contract/operation.js';
import type { Operation } from '../../contract/operation-members.js';
import { isoSeconds } from '../../runtime/clock.js';
import type { EventType } from '../../contract/events.js';

/** What the bank has answered. */
export type BankVerdict =
  | { readonly status: 'confirmed' }
  | { readonly status: 'failed'; readonly code: FailureCode; readonly reason: FailureReason };

/** What the bank will answer; `pending` is no answer until somebody settles the operation. */
export type ComingVerdict = BankVerdict | { readonly status: 'pending' };

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
  /** Sandbox time in ms at which the operation changes by itself (end of window, answer of the bank); null: never, which one that is processing stays until it is settled. */
  readonly due_at: number | null;
  /** What the bank will answer, where that is settled already: while processing, or by a fault armed at creation. */
  readonly verdict: ComingVerdict | null;
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
  readonly verdict: ComingVerdict | null;
}

/** What stays the same for the whole life of an operation. */
export type Core = Pick<
  Operation,
  | 'id'
  | 'type'
  | 'country'
  | 'currency'
  | 'method'
  | 'amount'
  | 'expires_at'
  | keyof Echoed
  | 'concept'
  | 'created_by'
  | 'created_at'
>;

/** The state an operation moves to; times in ms. */
type OperationState =
  | { readonly status: 'pending'; readonly reason: PendingReason; readonly codeExpiresAt?: number }
  | { readonly status: 'confirmed'; readonly bankReference: string }
  | { readonly status: 'failed'; readonly failure: OperationFailure };

/**
 * The operation in that state since `nowMs`. Whatever belongs to another state is gone: a code's expiry once no code is
 * awaited; `expires_at` is null once cancelled.
 */
export function revise(core: Core, state: OperationState, nowMs: number): Operation {
  const now = isoSeconds(nowMs);
  const codeExpiresAt = state.status === 'pending' ? state.codeExpiresAt : undefined;
  const failure = state.status === 'failed' ? state.failure : null;
  const expiresAt = failure?.code === 'cancelled' ? null : core.expires_at;
  const echoed = ECHOED.filter(([name]) => core[name] !== undefined);
  return {
    id: core.id,
    type: core.type,
    country: core.country,
    currency: core.currency,
    method: core.method,
    amount: core.amount,
    status: state.status,
    pending_reason: state.status === 'pending' ? state.reason : null,
    ...(codeExpiresAt === undefined ? {} : { code_expires_at: isoSeconds(codeExpiresAt) }),
    ...(core.expires_at === undefined || expiresAt === undefined ? {} : { expires_at: expiresAt }),
    bank_reference: state.status === 'confirmed' ? state.bankReference : null,
    ...(state.status === 'confirmed' ? { confirmed_at: now } : {}),
    failure,
    ...(Object.fromEntries(echoed.map(([name]) => [name, core[name]])) as unknown as Echoed),
    concept: core.concept,
    created_by: core.created_by,
    created_at: core.created_at,
    updated_at: now,
  };
}

/** `<word> <three letters of the company><six characters of the id>`, the characters in capitals (section 1). */
export function concept(type: Direction, companyPrefix: string, id: string): string {
  return `${type === 'payin' ? 'Cobro' : 'Pago'} ${companyPrefix}${id.slice(0, 6).toUpperCase()}`;
}

/** A company's three letters: the first of its name, in capitals, filled up with `X`. */
export function companyPrefix(company: string): string {
  return company
    .replace(/[^A-Za-z]/g, '')
    .slice(0, 3)
    .toUpperCase()
    .padEnd(3, 'X');
}

/** The n-th bank reference, from 1: sequential eight-digit numbers (section 5). */
export function bankReference(counter: number): string {
  return counter.toString().padStart(8, '0');
}

/** Minor units; `available` may be negative, for the balance is accounting and not a brake. */
export interface Funds {
  readonly available: bigint;
  readonly reserved: bigint;
}

export const NO_FUNDS: Funds = { available: 0n, reserved: 0n };

/** The balance after one movement. */
export function applyEntry(
  { available, reserved }: Funds,
  { kind, minor }: Pick<LedgerEntry, 'kind' | 'minor'>,
): Funds {
  switch (kind) {
    case 'reserve':
      return { available: available - minor, reserved: reserved + minor };
    case 'release':
      return { available: available + minor, reserved: reserved - minor };
    case 'capture':
      return { available, reserved: reserved - minor };
    case 'credit':
      return { available: available + minor, reserved };
    case 'fee':
      return { available: available - minor, reserved };
  }
}
