/** Cancelling on request: an incoming pay-in that still waits, or a payout that has not been executed (section 3). */
import { fail } from './settle.js';
import type { Context, Held, Refusal, Step } from './types.js';

/** Failed / cancelled, a payout's amount back in available; `not_cancellable` for everything else. */
export function cancel(held: Held, context: Context): Step | Refusal {
  const { type, pending_reason: reason } = held.operation;
  const isCancellable = reason === (type === 'payin' ? 'awaiting_payment' : 'processing');
  return isCancellable ? fail(held, 'cancelled', 'cancelled', context) : { refusal: 'not_cancellable' };
}
