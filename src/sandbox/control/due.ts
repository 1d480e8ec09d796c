/** The next thing that time alone brings, with its name: a window that ends, an answer of the bank, an attempt at a delivery. */
import { isoSeconds } from '../../runtime/clock.js';
import type { World } from '../engine/world.js';
import type { StoredOperation } from '../store/operations.js';

export interface Due {
  /** To the second, not before it happens: a clock that is moved there has passed it. */
  readonly at: string;
  readonly what: string;
}

/** Null where nothing is due. Within a transaction of the store. */
export function nextDue({ store: { operations, deliveries } }: World): Due | null {
  const operation = operations.firstDue();
  const operationMs = operation?.held().hidden.due_at ?? null;
  const delivery = deliveries.nextOwed();
  const deliveryMs = delivery?.next_attempt_at ?? null;
  if (operation !== undefined && operationMs !== null && (deliveryMs === null || operationMs <= deliveryMs))
    return { at: notBefore(operationMs), what: whatBecomesOf(operation) };
  if (delivery === undefined || deliveryMs === null) return null;
  const { id, type, attempts } = delivery;
  return { at: notBefore(deliveryMs), what: `attempt ${attempts.length + 1} of delivery ${id} (${type})` };
}

function whatBecomesOf(stored: StoredOperation): string {
  const { id, type, pending_reason: reason } = stored.held().operation;
  return reason === 'awaiting_payment' ? `${type} ${id} expires` : `the bank answers about ${type} ${id}`;
}

function notBefore(ms: number): string {
  return isoSeconds(Math.ceil(ms / 1000) * 1000);
}
