/** What the control of a sandbox answers and takes, as a test sees it. A part of `dist/testing.d.ts`. */

export interface DifferingPayment {
  readonly method?: string;
  readonly currency?: string;
  readonly amount?: string;
  readonly bank_code?: string;
  readonly phone?: string;
  readonly document?: { readonly type: string; readonly number: string };
}

/** As `POST /_control/faults` takes it. */
export interface FaultToArm {
  /** An endpoint, such as `payins.create`, or `*`. */
  readonly route: string;
  readonly kind?: 'status' | 'drop-before' | 'drop-after' | 'delay' | 'garbage' | 'outcome';
  readonly status?: number;
  readonly retry_after?: number;
  readonly delay_ms?: number;
  readonly failure?: { readonly code: string; readonly reason?: string };
  /** How many requests; 1 unless given. */
  readonly count?: number;
}

export interface RequestFilters {
  /** `404`, `4xx`, or `cut`. */
  readonly status?: string | number;
  readonly method?: string;
  readonly path?: string;
}

export interface LoggedRequest {
  readonly id: number;
  readonly at: string;
  readonly wall_at: string;
  readonly method: string;
  readonly path: string;
  readonly endpoint: string | null;
  readonly company: string | null;
  /** Null where the connection was cut. */
  readonly status: number | null;
  readonly ms: number | null;
  readonly idempotency_key: string | null;
  readonly replayed: boolean;
  readonly fault: string | null;
  /** Why it was refused, in a sentence. */
  readonly refused: string | null;
}

export interface LoggedSide {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly encoding?: 'base64';
  readonly truncated?: boolean;
}

export interface LoggedExchange extends LoggedRequest {
  readonly request: LoggedSide;
  readonly answer: LoggedSide | null;
}

export interface OperationFilters {
  readonly status?: 'pending' | 'confirmed' | 'failed';
  /** In its id, its reference. */
  readonly search?: string;
  /** With true, those that wait for somebody. */
  readonly waits?: boolean;
}

export interface SandboxOperation {
  readonly id: string;
  readonly environment: 'sandbox' | 'live';
  readonly company: string;
  readonly direction: 'payin' | 'payout';
  /** As the service answers it. */
  readonly operation: OperationAnswer;
  /** Null where it is final. */
  readonly waits_for: {
    readonly kind: 'code' | 'payment' | 'bank';
    readonly until: string | null;
    readonly payment?: DifferingPayment;
  } | null;
}

export interface OperationAnswer {
  readonly id: string;
  readonly type: 'payin' | 'payout';
  readonly country: string;
  readonly currency: string;
  readonly method: string;
  readonly amount: string;
  readonly status: 'pending' | 'confirmed' | 'failed';
  readonly pending_reason: 'awaiting_code' | 'awaiting_payment' | 'processing' | null;
  readonly bank_reference: string | null;
  readonly failure: { readonly code: string; readonly reason: string } | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly updated_at: string;
  readonly [name: string]: unknown;
}

export interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly type: string;
  readonly url: string;
  readonly status: DeliveryState;
  readonly attempts: readonly {
    readonly at: string;
    readonly status: number | null;
    readonly error: string | null;
    readonly [name: string]: unknown;
  }[];
  readonly next_attempt_at: string | null;
}

export type DeliveryState = 'pending' | 'delivered' | 'exhausted';

export interface DeliveryWait {
  /** `delivered` unless given. */
  readonly status?: DeliveryState;
  /** 5000 unless given. */
  readonly timeoutMs?: number;
}
