import type { Bank, CountryEntry, MethodEntry } from '../../../src/contract/catalog.js';
import type { AttemptRow, DeliveryRow, LoggedSide } from '../../../src/sandbox/testing/types.js';

type TimeText = 'created_at' | 'updated_at' | 'now';
type OperationText = 'id' | 'type' | 'country' | 'currency' | 'method' | 'amount' | 'status' | 'concept';
type ControlText = 'created_by' | 'url' | 'secret' | 'api_key' | 'delivery_id' | 'company' | 'environment';

export interface Answered extends Readonly<Record<OperationText | ControlText | TimeText, string>> {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: readonly AnsweredDetail[];
  };
  readonly pending_reason: string | null;
  readonly code_expires_at?: string;
  readonly expires_at?: string | null;
  readonly bank_reference: string | null;
  readonly confirmed_at?: string;
  readonly failure: { readonly code: string; readonly reason: string; readonly message: string } | null;
  readonly reference?: string;
  readonly metadata: unknown;
  readonly purpose?: string;
  readonly config_version: number;
  readonly countries: readonly CountryEntry[];
  readonly methods: readonly MethodEntry[];
  readonly banks: readonly Bank[];
  readonly balances: readonly Readonly<Record<'currency' | 'available' | 'reserved', string>>[];
  readonly events: readonly AnsweredEvent[];
  readonly next_cursor: string | null;
  readonly attributed_to: string | null;
  readonly deliveries: readonly AnsweredDelivery[];
  readonly armed: number;
  readonly reset: boolean;
  readonly faults: readonly object[];
  readonly operation: Answered;
  readonly operations: readonly Answered[];
  readonly waits_for: { readonly payment?: object; readonly paid_first?: object | null } | null;
  readonly requests: readonly AnsweredRequest[];
  readonly request: AnsweredSide;
  readonly answer: AnsweredSide;
  readonly next: string | number | null;
  readonly next_due: unknown;
}

export type AnsweredRequest = Readonly<Record<'id' | 'status', number>> &
  Readonly<Record<'endpoint' | 'company' | 'fault' | 'refused', string>>;

export type AnsweredSide = Pick<LoggedSide, 'body'> & { readonly headers: Readonly<Record<string, string>> };
export type AnsweredDetail = Readonly<Record<'field' | 'code', string>>;

export interface AnsweredEvent {
  readonly id: string;
  readonly type: string;
  readonly occurred_at: string;
  readonly data: Answered;
}

export interface AnsweredDelivery extends Omit<DeliveryRow, 'attempts'> {
  readonly attempts: readonly (AttemptRow & { readonly request: AnsweredSide | null })[];
}
