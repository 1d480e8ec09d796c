/** The one shape that a pay-in or a payout has everywhere, and its members in the order in which the service writes them (section 2.1). */
import { ECHOED, type Echoed } from './body-fields.js';
import type { OperationFailure } from './failures.js';
import type { Creator, Direction, Method, PendingReason, Status } from './operation.js';

/**
 * `Operacion`, section 2.1: what the service answers and what `data` of an event carries, beside what was sent. Amounts are decimal
 * strings, times ISO 8601 UTC.
 */
export interface Operation extends Echoed {
  readonly id: string;
  readonly type: Direction;
  readonly country: string;
  readonly currency: string;
  readonly method: Method;
  readonly amount: string;
  readonly status: Status;
  readonly pending_reason: PendingReason | null;
  /** `debit_otp` while a code is awaited. */
  readonly code_expires_at?: string;
  /** Incoming pay-ins: end of the payment window; null once cancelled. */
  readonly expires_at?: string | null;
  readonly bank_reference: string | null;
  readonly confirmed_at?: string;
  readonly failure: OperationFailure | null;
  readonly concept: string;
  readonly created_by: Creator;
  readonly created_at: string;
  readonly updated_at: string;
}

const MEMBERS: Readonly<Record<keyof Operation, true>> = {
  id: true,
  type: true,
  country: true,
  currency: true,
  method: true,
  amount: true,
  status: true,
  pending_reason: true,
  code_expires_at: true,
  expires_at: true,
  bank_reference: true,
  confirmed_at: true,
  failure: true,
  ...(Object.fromEntries(ECHOED.map(([name]) => [name, true])) as Record<keyof Echoed, true>),
  concept: true,
  created_by: true,
  created_at: true,
  updated_at: true,
};

export const OPERATION_MEMBERS = Object.keys(MEMBERS) as readonly (keyof Operation)[];
