/** The members of an operation are in the order in which the service writes them (contract section 2.1). */
import { ECHOED_FIELDS, type EchoedFields } from './body-fields.js';
import type { OperationFailure } from './failures.js';
import type { Creator, Direction, Method, PendingReason, Status } from './operation.js';

export interface Operation extends EchoedFields {
  readonly id: string;
  readonly type: Direction;
  readonly country: string;
  readonly currency: string;
  readonly method: Method;
  readonly amount: string;
  readonly status: Status;
  readonly pending_reason: PendingReason | null;
  readonly code_expires_at?: string;
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
  ...{ id: true, type: true, country: true, currency: true, method: true, amount: true, status: true },
  ...{ pending_reason: true, code_expires_at: true, expires_at: true, bank_reference: true },
  ...{ confirmed_at: true, failure: true },
  ...(Object.fromEntries(ECHOED_FIELDS.map(([name]) => [name, true])) as Record<keyof EchoedFields, true>),
  ...{ concept: true, created_by: true, created_at: true, updated_at: true },
};

export const OPERATION_MEMBERS = Object.keys(MEMBERS) as readonly (keyof Operation)[];
