/** The end that time would bring to an operation, now: its window is over, or its code (sections 2.4 and 3). */
import { revise } from './operation.js';
import { fail } from './settle.js';
import type { Context, OperationRecord, Transition } from './types.js';

/**
 * A waiting incoming pay-in fails as `expired`. A code ends; its pay-in waits on, as it does when five minutes are over. Null where nothing
 * can expire: the bank's answer does not, nor a final operation, nor a code that has ended.
 */
export function expire(held: OperationRecord, context: Context): Transition | null {
  const { operation, hidden } = held;
  if (operation.pending_reason === 'awaiting_payment') return fail(held, 'expired', 'expired', context);
  const { code_expires_at: endsAt } = hidden;
  if (operation.pending_reason !== 'awaiting_code' || endsAt === null || endsAt <= context.nowMs) return null;
  const state = { status: 'pending', reason: 'awaiting_code', codeExpiresAt: context.nowMs } as const;
  return {
    held: {
      operation: revise(operation, state, context.nowMs),
      hidden: { ...hidden, code_expires_at: context.nowMs },
    },
    entries: [],
    event: null,
  };
}
