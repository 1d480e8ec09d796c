/** What a verification ends with: the event, or the one reason why the delivery must be discarded. */
import type { DeliveredEvent } from './event.js';

export type RejectionReason =
  | 'body_too_large'
  | 'encoding_unsupported'
  | 'timestamp_missing'
  | 'timestamp_duplicated'
  | 'timestamp_malformed'
  | 'signature_missing'
  | 'signature_duplicated'
  | 'signature_malformed'
  | 'signature_mismatch'
  | 'timestamp_outside_tolerance'
  | 'not_an_event'
  | 'type_differs'
  | 'id_differs';

export interface Rejected {
  readonly accepted: false;
  readonly reason: RejectionReason;
  /** One sentence; no secret and no signature is in it. */
  readonly message: string;
}

export type Verdict =
  /** `body` is the event's own bytes. */
  { readonly accepted: true; readonly event: DeliveredEvent; readonly body: Uint8Array } | Rejected;

export function rejected(reason: RejectionReason, message: string): Rejected {
  return { accepted: false, reason, message };
}
