import type { Attempt, AttemptKind } from '../../src/contract/attempt.js';
import { readAnswer } from '../../src/client/client.js';
import { endpoint } from '../../src/contract/endpoints.js';
import { answer, envelope, failedOperation, NOW_MS, operation } from './doubles.js';

const SAMPLES: Readonly<Record<AttemptKind, Attempt>> = {
  success: succeeded(operation('confirmed')),
  refused: readAnswer(envelope(400, 'field_invalid'), null, NOW_MS),
  unavailable: readAnswer(envelope(503, 'temporarily_unavailable'), null, NOW_MS),
  server_error: readAnswer(answer(502, '<html>'), null, NOW_MS),
  broken: readAnswer(answer(302, ''), null, NOW_MS),
  mismatched: readAnswer(
    answer(201, operation('confirmed', { amount: '99.00' })),
    endpoint('payouts.create'),
    NOW_MS,
    { amount: '10.00' },
  ),
  unreadable: readAnswer(answer(200, '<html>'), endpoint('payins.get'), NOW_MS),
  lost: { kind: 'lost', reason: 'reset', message: 'the connection was reset' },
  not_sent: { kind: 'not_sent', reason: 'connect', message: 'connection refused' },
};

export const KINDS = Object.keys(SAMPLES) as readonly AttemptKind[];

export function attemptOf(kind: AttemptKind, changes: object = {}): Attempt {
  return { ...SAMPLES[kind], ...changes };
}

export function succeeded(body: object): Extract<Attempt, { kind: 'success' }> {
  const attempt = readAnswer(answer(200, body), endpoint('payins.get'), NOW_MS);
  if (attempt.kind !== 'success') throw new Error('the sample is no operation');
  return attempt;
}

export function refused(status: number, code: string): Attempt {
  return readAnswer(envelope(status, code), null, NOW_MS);
}

export function createRefused(status: number, code: string): Attempt {
  return readAnswer(envelope(status, code), endpoint('payouts.create'), NOW_MS);
}

export const awaitingCode = operation('pending', { pending_reason: 'awaiting_code' });
export const processing = operation('pending', { pending_reason: 'processing' });
export const confirmed = operation('confirmed');
export const cancelled = failedOperation('cancelled');
export const rejected = failedOperation('code_rejected');
