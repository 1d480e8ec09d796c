/** What happens to an operation without a call that changes it: time passes, or a client looks (section 3). */
import { CONFIRMED } from './outcome.js';
import { fail, settle } from './settle.js';
import type { Context, Held, Step } from './types.js';

/**
 * What is due at `context.nowMs`: the window of an incoming pay-in ends, or the bank's answer arrives. Null where nothing is.
 * Who replays a span of time passes each operation's own `due_at` as now.
 */
export function timePasses(held: Held, context: Context): Step | null {
  const { due_at: dueAt, verdict } = held.hidden;
  if (dueAt === null || context.nowMs < dueAt) return null;
  return held.operation.pending_reason === 'awaiting_payment'
    ? fail(held, 'expired', 'expired', context)
    : settle(held, verdict ?? CONFIRMED, context);
}

/** What a client's lookup brings about: the answer that only waited for it (document 00000002), else null. A replay or a cancel is no lookup. */
export function lookup(held: Held, context: Context): Step | null {
  const { settles_on_lookup: settles, verdict } = held.hidden;
  return settles ? settle(held, verdict ?? CONFIRMED, context) : null;
}
