import { createHmac } from 'node:crypto';
import type { Direction } from './operation.js';
import type { Operation } from './operation-members.js';

export const EVENT_TYPES = [
  'payin.confirmed',
  'payin.failed',
  'payout.confirmed',
  'payout.failed',
  'test.ping',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface Event {
  readonly id: string;
  readonly type: EventType;
  readonly occurred_at: string;
  readonly data: Operation;
}

export const DELIVERY_HEADERS = {
  signature: 'X-Firma',
  timestamp: 'X-Timestamp',
  type: 'X-Evento',
  id: 'X-Id-Evento',
} as const;

export function eventTypeOf(type: Direction, status: 'confirmed' | 'failed'): EventType {
  return `${type}.${status}`;
}

export const SIGNATURE_PREFIX = 'v1=';

export function sign(secret: string, timestamp: string, body: Uint8Array): string {
  if (secret === '') throw new RangeError('a signing secret is never empty');
  return SIGNATURE_PREFIX + createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}

export function signatureHeader(secrets: readonly string[], timestamp: string, body: Uint8Array): string {
  return secrets.map((secret) => sign(secret, timestamp, body)).join(' ');
}
