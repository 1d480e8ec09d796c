/** What can come of sending a row once: the words between the engine and whoever sends. */
import type { OperationClaims } from '../../contract/claims.js';

export type Delivery =
  | { readonly kind: 'operation'; readonly operation: OperationClaims }
  /** A refusal that the contract lists for a create: a definite no, unless something is open. */
  | { readonly kind: 'rejected'; readonly code: string; readonly detail: string }
  /** 409: this key has made another payment, and this request was not carried out. */
  | { readonly kind: 'reused'; readonly code: string; readonly detail: string }
  /** 401 or 403: nothing that this key sends is carried out. */
  | { readonly kind: 'denied'; readonly code: string; readonly detail: string }
  /** 429, or 503 with the envelope; `isLimit` for the first. */
  | {
      readonly kind: 'unavailable';
      readonly code: string;
      readonly isLimit: boolean;
      readonly retryAfterMs: number | null;
    }
  /** Certainly not sent. */
  | { readonly kind: 'not_sent'; readonly code: string }
  /** It left, and nothing says what became of it. `isRepeatable` where the same bytes may be answered better now. */
  | {
      readonly kind: 'unknown';
      readonly code: string;
      readonly detail: string | null;
      readonly isRepeatable: boolean;
    };
