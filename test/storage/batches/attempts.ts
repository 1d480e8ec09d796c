import { readAnswer } from '../../../src/client/client.js';
import type { Attempt } from '../../../src/contract/attempt.js';
import type { RequestedOperation } from '../../../src/contract/operation-facts.js';
import { endpoint } from '../../../src/contract/endpoints.js';
import { attemptOf, createRefused } from '../../client/attempts.js';
import { answer, NOW_MS, operation } from '../../client/doubles.js';

export function made(status: string, more: Record<string, unknown>, asked: RequestedOperation = {}): Attempt {
  const row = endpoint('payouts.create');
  return readAnswer(answer(201, operation(status, { id: 'op', ...more })), row, NOW_MS, asked);
}

export const lost = attemptOf('lost');
export const notSent = attemptOf('not_sent');
export const busy = createRefused(503, 'temporarily_unavailable');
export const limited = createRefused(429, 'rate_limited');
export const denied = createRefused(401, 'unauthorized');
export const rejected = createRefused(400, 'field_invalid');
export const reused = createRefused(409, 'idempotency_key_reused');
export const strange = createRefused(404, 'route_not_found');
