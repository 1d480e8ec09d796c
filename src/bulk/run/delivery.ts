/** What can come of sending a row once: the words between the engine and whoever delivers. */

/** What an operation in an answer says of itself; undefined where it does not. */
export interface OperationClaims {
  readonly id: string;
  readonly status: string;
  /** The failure's code, or why it is pending. */
  readonly code: string | null;
  readonly amount?: string | undefined;
  readonly currency?: string | undefined;
  readonly reference?: string | undefined;
  /** ISO 8601. */
  readonly createdAt?: string | undefined;
}

export type Delivery =
  | { readonly kind: 'operation'; readonly operation: OperationClaims }
  /** 400: a definite no. `settles` where a replay of an earlier operation would have come before it. */
  | { readonly kind: 'rejected'; readonly code: string; readonly detail: string; readonly settles: boolean }
  /** 409: the key belongs to another request. */
  | { readonly kind: 'conflict'; readonly code: string; readonly detail: string }
  /** 401 or 403: nothing that this key sends is carried out. */
  | { readonly kind: 'denied'; readonly code: string; readonly detail: string }
  /** Not carried out, and not what the contract allows: another 4xx, a redirect. */
  | { readonly kind: 'misdirected'; readonly code: string; readonly detail: string }
  /** 429, or 503 with the envelope; `isLimit` for the first. */
  | {
      readonly kind: 'unavailable';
      readonly code: string;
      readonly isLimit: boolean;
      readonly retryAfterMs: number | null;
    }
  /** Certainly not sent. */
  | { readonly kind: 'not_sent'; readonly code: string }
  /** It left, and nothing says what became of it. */
  | { readonly kind: 'unknown'; readonly code: string };
