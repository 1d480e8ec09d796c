export interface Answered {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: readonly AnsweredDetail[];
  };
  readonly id: string;
  readonly type: string;
  readonly country: string;
  readonly currency: string;
  readonly method: string;
  readonly amount: string;
  readonly status: string;
  readonly pending_reason: string | null;
  readonly code_expires_at?: string;
  readonly expires_at?: string | null;
  readonly bank_reference: string | null;
  readonly confirmed_at?: string;
  readonly failure: { readonly code: string; readonly reason: string; readonly message: string } | null;
  readonly reference?: string;
  readonly metadata: unknown;
  readonly purpose?: string;
  readonly concept: string;
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly config_version: number;
  readonly countries: readonly AnsweredCountry[];
  readonly methods: readonly AnsweredMethod[];
  readonly banks: readonly {
    readonly code: string;
    readonly name: string;
    readonly methods: readonly string[];
  }[];
  readonly balances: readonly Readonly<Record<'currency' | 'available' | 'reserved', string>>[];
  readonly events: readonly AnsweredEvent[];
  readonly next_cursor: string | null;
  readonly url: string;
  readonly secret: string;
  readonly now: string;
  readonly attributed_to: string | null;
  readonly api_key: string;
  readonly delivery_id: string;
  readonly deliveries: readonly AnsweredDelivery[];
  readonly armed: number;
  readonly reset: boolean;
  readonly faults: readonly object[];
  readonly company: string;
  readonly environment: string;
  readonly operation: Answered;
  readonly operations: readonly Answered[];
  readonly waits_for: { readonly payment?: object; readonly paid_first?: object | null } | null;
  readonly requests: readonly AnsweredRequest[];
  readonly request: AnsweredSide;
  readonly answer: AnsweredSide;
  readonly next: string | number | null;
  readonly next_due: unknown;
}

export interface AnsweredRequest {
  readonly id: number;
  readonly endpoint: string;
  readonly company: string;
  readonly fault: string;
  readonly refused: string;
  readonly status: number;
}

export interface AnsweredSide {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface AnsweredDetail {
  readonly field: string;
  readonly code: string;
}

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
