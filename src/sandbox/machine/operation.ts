/**
 * The types of the state machine, the fields of each state in the order of section 2.1, the texts of the service (sections 1 and 5), and
 * the effect of a ledger entry on a balance (section 3).
 */
import { ECHOED_FIELDS, type EchoedFields } from '../../contract/body-fields.js';
import type { OperationFailure, FailureCode, FailureReason } from '../../contract/failures.js';
import type { Direction, PendingReason } from '../../contract/operation.js';
import type { Operation } from '../../contract/operation-members.js';
import { isoSeconds } from '../../runtime/clock.js';
import type { EventType } from '../../contract/events.js';

export type BankVerdict =
  | { readonly status: 'confirmed' }
  | { readonly status: 'failed'; readonly code: FailureCode; readonly reason: FailureReason };

/** The answer that the bank will give. `pending`: the bank gives no answer until somebody settles the operation. */
export type PlannedVerdict = BankVerdict | { readonly status: 'pending' };

/** The data of an operation that callers never see. */
export interface HiddenData {
  readonly document_type: string | null;
  readonly document_number: string | null;
  readonly phone: string | null;
  readonly bank_code: string | null;
  /** Decimals of the currency, so that amounts can be computed without the catalog. */
  readonly decimals: number;
  /** For `debit_otp`: how many resends of a code were accepted. */
  readonly resends: number;
  /** While `debit_otp` waits for its code: the end of the code's validity, sandbox time in ms. The public field is cut to the second. */
  readonly code_expires_at: number | null;
  /** When the window ends or the bank answers, in sandbox ms. Null: never; a processing operation then waits until somebody settles it. */
  readonly due_at: number | null;
  /** The coming answer of the bank, if it is decided: while processing, or by a fault armed at creation. */
  readonly verdict: PlannedVerdict | null;
  /** While processing: the first lookup by a client settles the operation before `due_at` (document 00000002). */
  readonly settles_on_lookup: boolean;
}

export interface OperationRecord {
  readonly operation: Operation;
  readonly hidden: HiddenData;
}

/**
 * One movement of a company's balance in one currency, in minor units, never negative.
 * `reserve` available -> reserved, `release` reserved -> available, `capture` out of reserved, `credit` into available, `fee` out of available.
 */
export interface LedgerEntry {
  readonly kind: 'reserve' | 'release' | 'capture' | 'credit' | 'fee';
  readonly currency: string;
  readonly minor: bigint;
}

/** The result of one step: the new operation, the money that moved, and the event. */
export interface Transition {
  readonly record: OperationRecord;
  readonly entries: readonly LedgerEntry[];
  readonly event: EventType | null;
}

/** The surroundings of a step: the time, settings of the sandbox, and the verdict of a fault. */
export interface Context {
  /** Sandbox time in milliseconds. */
  readonly nowMs: number;
  /** The only code that confirms a pay-in. */
  readonly code: string;
  /** How long payouts and `direct_debit` pay-ins stay `processing`. 0: the bank answers at once. */
  readonly settleAfterMs: number;
  /** Draws the next bank reference: eight digits, one counter for each environment. */
  readonly bankReference: () => string;
  /** The verdict of an armed `outcome` fault. It overrides the document number. */
  readonly verdict: PlannedVerdict | null;
}

/** The members of an operation that no step changes, except that a cancel sets `expires_at` to null. */
export type Core = Pick<
  Operation,
  | 'id'
  | 'type'
  | 'country'
  | 'currency'
  | 'method'
  | 'amount'
  | 'expires_at'
  | keyof EchoedFields
  | 'concept'
  | 'created_by'
  | 'created_at'
>;

/** The state that an operation moves to; times in ms. */
type OperationState =
  | { readonly status: 'pending'; readonly reason: PendingReason; readonly codeExpiresAt?: number }
  | { readonly status: 'confirmed'; readonly bankReference: string }
  | { readonly status: 'failed'; readonly failure: OperationFailure };

/**
 * Builds the operation in a new state since `nowMs`. Members that this state does not have are omitted, for example `code_expires_at` if
 * no code is awaited. After a cancel `expires_at` is null.
 */
export function withState(core: Core, state: OperationState, nowMs: number): Operation {
  const nowIso = isoSeconds(nowMs);
  const codeExpiresAt = state.status === 'pending' ? state.codeExpiresAt : undefined;
  const failure = state.status === 'failed' ? state.failure : null;
  const expiresAt = failure?.code === 'cancelled' ? null : core.expires_at;
  const echoes = ECHOED_FIELDS.filter(([name]) => core[name] !== undefined);
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
    ...(state.status === 'confirmed' ? { confirmed_at: nowIso } : {}),
    failure,
    ...(Object.fromEntries(echoes.map(([name]) => [name, core[name]])) as unknown as EchoedFields),
    concept: core.concept,
    created_by: core.created_by,
    created_at: core.created_at,
    updated_at: nowIso,
  };
}

/** `<word> <three letters of the company><six characters of the id>`, the characters in capitals (section 1). */
export function concept(type: Direction, companyPrefix: string, id: string): string {
  return `${type === 'payin' ? 'Cobro' : 'Pago'} ${companyPrefix}${id.slice(0, 6).toUpperCase()}`;
}

/** The company's three letters: the first letters of its name in capitals, padded with `X`. */
export function companyPrefix(company: string): string {
  return company
    .replace(/[^A-Za-z]/g, '')
    .slice(0, 3)
    .toUpperCase()
    .padEnd(3, 'X');
}

/** Formats the n-th bank reference, from 1. It has eight digits or more (section 5). */
export function bankReference(counter: number): string {
  return counter.toString().padStart(8, '0');
}

/** A balance in minor units. `available` may be negative: the balance is accounting and does not stop a payout. */
export interface Funds {
  readonly available: bigint;
  readonly reserved: bigint;
}

export const NO_FUNDS: Funds = { available: 0n, reserved: 0n };

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
