/** What a row of the table says of an endpoint (section 4). */
import type { Scope } from './access.js';
import type { ErrorCode } from './errors.js';

/**
 * What may be repeated: `safe` reads; `keyed` creates, with the same key and bytes;
 * `once` is never repeated: its operation is looked up instead.
 */
export type RetryClass = 'safe' | 'keyed' | 'once';

/** What a success holds. */
export type ResultKind =
  'capabilities' | 'methods' | 'banks' | 'balances' | 'operation' | 'events' | 'webhook_endpoint';

/** What a request carries; `none` is a POST without a body. The bodies that are judged as a whole have their shape in `bodies.ts`. */
export type BodyKind = 'new_payin' | 'new_payout' | 'confirmation' | 'webhook_endpoint' | 'none';

export interface Endpoint {
  readonly method: 'GET' | 'POST';
  /** `{id}` stands for an operation's uuid. */
  readonly path: string;
  readonly summary: string;
  /** Null: any valid key. */
  readonly scope: Scope | null;
  readonly query: readonly string[];
  readonly body: BodyKind | null;
  readonly success: 200 | 201;
  readonly result: ResultKind;
  /** The member of the answer that holds the list; null where the answer is one object. */
  readonly list: string | null;
  /** The errors beyond 401, and 403 where there is a scope. */
  readonly errors: readonly ErrorCode[];
  readonly retry: RetryClass;
  /** Where a call that may have been carried out is looked up. */
  readonly lookup: 'payins.get' | 'payouts.get' | null;
}
