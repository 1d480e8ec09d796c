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
  readonly countries: readonly AnsweredCountry[];
  readonly methods: readonly AnsweredMethod[];
  readonly banks: readonly { code: string; name: string; methods: readonly string[] }[];
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

export interface AnsweredSide {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type AnsweredDetail = Readonly<Record<'field' | 'code', string>>;

export interface AnsweredField {
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
  readonly enum?: readonly string[];
  readonly example?: string;
  readonly pattern?: string;
}

export interface AnsweredMethod {
  readonly availability: string;
  readonly code: string;
  readonly country: string;
  readonly currency: string;
  readonly direction: 'payin' | 'payout';
  readonly fields: readonly AnsweredField[];
  readonly min_amount: string;
  readonly max_amount: string | null;
  readonly name: string;
  readonly receiving_account?: Readonly<Record<string, string>> | null;
}

export interface AnsweredCountry {
  readonly code: string;
  readonly name: string;
  readonly currencies: readonly { readonly code: string; readonly decimals: number }[];
  readonly payin_methods: readonly AnsweredMethod[];
  readonly payout_methods: readonly AnsweredMethod[];
}

export interface AnsweredEvent {
  readonly id: string;
  readonly type: string;
  readonly occurred_at: string;
  readonly data: Answered;
}

export interface AnsweredDelivery {
  readonly id: string;
  readonly event_id: string;
  readonly type: string;
  readonly url: string;
  readonly status: string;
  readonly attempts: readonly {
    readonly at: string;
    readonly status: number | null;
    readonly error: string | null;
    readonly request: AnsweredSide | null;
    readonly answer: (AnsweredSide & { readonly status: number }) | null;
    readonly ms: number | null;
  }[];
  readonly next_attempt_at: string | null;
}
