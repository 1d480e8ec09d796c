/** What the sandbox's control answers, as the page reads it. Members that it does not show are not here. */

import type { Environment } from '../../contract/access.js';
import type { ShownSide } from '../log/logged.js';

export interface OperationJson {
  readonly id: string;
  readonly type: 'payin' | 'payout';
  readonly method: string;
  readonly country: string;
  readonly currency: string;
  readonly amount: string;
  readonly status: 'pending' | 'confirmed' | 'failed';
  readonly pending_reason: string | null;
  readonly reference?: string;
  readonly failure: { readonly code: string; readonly reason: string; readonly message: string } | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly confirmed_at?: string;
}

interface Payment {
  readonly method: string;
  readonly currency: string;
  readonly amount: string;
}

export interface Waiting {
  readonly kind: 'code' | 'payment' | 'bank';
  readonly until: string | null;
  readonly payment?: Payment;
}

export interface Listed {
  readonly id: string;
  readonly environment: Environment;
  readonly company: string;
  readonly direction: string;
  readonly operation: OperationJson;
  readonly waits_for: Waiting | null;
  readonly requests?: readonly number[];
  readonly events?: readonly { readonly id: string; readonly type: string; readonly occurred_at: string }[];
  readonly deliveries?: readonly string[];
}

export interface AttemptJson {
  readonly at: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly ms?: number;
  readonly request?: ShownSide | null;
  readonly answer?: (ShownSide & { readonly status: number }) | null;
}

export interface DeliveryJson {
  readonly id: string;
  readonly event_id: string;
  readonly type: string;
  readonly url: string;
  readonly status: 'pending' | 'delivered' | 'exhausted';
  readonly attempts: readonly AttemptJson[];
  readonly next_attempt_at: string | null;
}

export interface Key {
  readonly api_key: string;
  readonly scopes: readonly string[];
  readonly created_by: string;
}

export interface CompanyJson {
  readonly name: string;
  readonly environment: Environment;
  readonly keys: readonly Key[];
  readonly balances: readonly {
    readonly currency: string;
    readonly available: string;
    readonly reserved: string;
  }[];
  readonly webhooks: readonly {
    readonly id: string;
    readonly url: string;
    readonly created_at: string;
    readonly replaced_at: string | null;
  }[];
}

/** What `webhooks verify --explain` says of the last attempt. */
export interface SignatureExplanation {
  readonly valid: boolean;
  readonly steps: readonly { readonly check: string; readonly ok: boolean; readonly text: string }[];
}

/** Beside these, members of its kind. */
export interface ArmedFault {
  readonly id: number;
  readonly route: string;
  readonly kind: string;
  readonly remaining: number;
}

export interface ClockNow {
  readonly now: string;
  readonly next_due?: { readonly at: string; readonly what: string } | null;
}
