/** The service's events and the headers of their deliveries (`TipoDeEvento`, section 6). */
import type { Direction } from './methods.js';
import type { Operation } from './operation.js';

export const EVENT_TYPES = [
  'payin.confirmed',
  'payin.failed',
  'payout.confirmed',
  'payout.failed',
  'test.ping',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** An event carries the whole operation; `occurred_at` is ISO 8601 UTC to the second. */
export interface Event {
  readonly id: string;
  readonly type: EventType;
  readonly occurred_at: string;
  readonly data: Operation;
}

/** The headers of a delivery (section 6). `X-Evento` and `X-Id-Evento` are not signed. */
export const DELIVERY_HEADERS = {
  signature: 'X-Firma',
  timestamp: 'X-Timestamp',
  type: 'X-Evento',
  id: 'X-Id-Evento',
} as const;

/** The event that an operation emits, exactly once, when it reaches a final state. */
export function eventTypeOf(type: Direction, status: 'confirmed' | 'failed'): EventType {
  return `${type}.${status}`;
}
