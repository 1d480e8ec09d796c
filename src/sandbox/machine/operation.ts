import { ECHOED_FIELDS, type EchoedFields } from '../../contract/body-fields.js';
import type { OperationFailure, FailureCode, FailureReason } from '../../contract/failures.js';
import type { Direction, PendingReason } from '../../contract/operation.js';
import type { Operation } from '../../contract/operation-members.js';
import { isoSeconds } from '../../runtime/clock.js';
import type { EventType } from '../../contract/events.js';

export type BankVerdict =
  | { readonly status: 'confirmed' }
  | { readonly status: 'failed'; readonly code: FailureCode; readonly reason: FailureReason };

/** `pending` means that the bank gives no answer until somebody settles the operation. */
export type PlannedVerdict = BankVerdict | { readonly status: 'pending' };

export interface HiddenData extends Readonly<
  Record<'document_type' | 'document_number' | 'phone' | 'bank_code', string | null>
> {
  readonly decimals: number;
  readonly resends: number;
  readonly code_expires_at: number | null;
  readonly due_at: number | null;
  readonly verdict: PlannedVerdict | null;
  readonly settles_on_lookup: boolean;
}

export interface OperationRecord {
  readonly operation: Operation;
  readonly hidden: HiddenData;
}

export interface LedgerEntry {
  readonly kind: 'reserve' | 'release' | 'capture' | 'credit' | 'fee';
  readonly currency: string;
  readonly minor: bigint;
}

export interface Transition {
  readonly record: OperationRecord;
  readonly entries: readonly LedgerEntry[];
  readonly event: EventType | null;
}

export interface Context {
  readonly nowMs: number;
  readonly code: string;
  readonly settleAfterMs: number;
  readonly nextBankReference: () => string;
  readonly verdict: PlannedVerdict | null;
}

export type Core = Omit<
  Operation,
  | 'status'
  | 'pending_reason'
  | 'code_expires_at'
  | 'bank_reference'
  | 'confirmed_at'
  | 'failure'
  | 'updated_at'
>;

type NewStatus =
  | { readonly status: 'pending'; readonly reason: PendingReason; readonly codeExpiresAt: number | null }
  | { readonly status: 'confirmed'; readonly bankReference: string }
  | { readonly status: 'failed'; readonly failure: OperationFailure };

export function withState(core: Core, state: NewStatus, nowMs: number): Operation {
  const nowIso = isoSeconds(nowMs);
  const codeExpiresAt = state.status === 'pending' ? state.codeExpiresAt : null;
  const failure = state.status === 'failed' ? state.failure : null;
  const expiresAt = failure?.code === 'cancelled' ? null : core.expires_at;
  const fields = ECHOED_FIELDS.filter(([name]) => core[name] !== undefined);
  return {
    id: core.id,
    type: core.type,
    country: core.country,
    currency: core.currency,
    method: core.method,
    amount: core.amount,
    status: state.status,
    pending_reason: state.status === 'pending' ? state.reason : null,
    ...(codeExpiresAt === null ? {} : { code_expires_at: isoSeconds(codeExpiresAt) }),
    ...(core.expires_at === undefined || expiresAt === undefined ? {} : { expires_at: expiresAt }),
    bank_reference: state.status === 'confirmed' ? state.bankReference : null,
    ...(state.status === 'confirmed' ? { confirmed_at: nowIso } : {}),
    failure,
    ...(Object.fromEntries(fields.map(([name]) => [name, core[name]])) as unknown as EchoedFields),
    concept: core.concept,
    created_by: core.created_by,
    created_at: core.created_at,
    updated_at: nowIso,
  };
}

export function toPending(reason: PendingReason, core: Core, hidden: HiddenData, nowMs: number): Transition {
  const state = { status: 'pending', reason, codeExpiresAt: hidden.code_expires_at } as const;
  return { record: { operation: withState(core, state, nowMs), hidden }, entries: [], event: null };
}

/** For example `Cobro ACM1B2C3D` (contract section 1). */
export const conceptOf = (type: Direction, companyPrefix: string, id: string): string =>
  `${type === 'payin' ? 'Cobro' : 'Pago'} ${companyPrefix}${id.slice(0, 6).toUpperCase()}`;

export const companyPrefixOf = (company: string): string =>
  company
    .replace(/[^A-Za-z]/g, '')
    .slice(0, 3)
    .toUpperCase()
    .padEnd(3, 'X');

export const formatBankReference = (counter: number): string => counter.toString().padStart(8, '0');

/** `available` may be negative, because a payout is accepted even without funds. */
export type Funds = Readonly<Record<'available' | 'reserved', bigint>>;

export const NO_FUNDS: Funds = { available: 0n, reserved: 0n };

const EFFECTS: Readonly<Record<LedgerEntry['kind'], readonly [onAvailable: bigint, onReserved: bigint]>> = {
  reserve: [-1n, 1n],
  release: [1n, -1n],
  capture: [0n, -1n],
  credit: [1n, 0n],
  fee: [-1n, 0n],
};

export function applyEntry(funds: Funds, { kind, minor }: Pick<LedgerEntry, 'kind' | 'minor'>): Funds {
  const [onAvailable, onReserved] = EFFECTS[kind];
  return { available: funds.available + onAvailable * minor, reserved: funds.reserved + onReserved * minor };
}
