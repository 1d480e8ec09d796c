import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../src/contract/attempt.js';
import type { Conversation } from '../../src/client/client.js';
import { conclude } from '../../src/client/conclusion.js';
import { waitForOperation, type WaitOptions } from '../../src/client/wait.js';
import { fakeClock } from '../support/fake-clock.js';
import { attemptOf, awaitingCode, confirmed, processing, refused, rejected, succeeded } from './attempts.js';
import { ID, NOW_MS, operation } from './doubles.js';

async function wait(attempts: readonly Attempt[], options: Partial<WaitOptions> = {}, readTakesMs = 0) {
  const clock = fakeClock(NOW_MS);
  const reads: number[] = [];
  const read = (timeoutMs: number): Promise<Conversation> => {
    reads.push(timeoutMs);
    clock.advance(Math.min(readTakesMs, timeoutMs));
    const attempt = attempts[Math.min(reads.length, attempts.length) - 1] ?? attemptOf('lost');
    return Promise.resolve({
      ...{ endpointId: 'transactions.get', retry: 'safe', id: ID, idempotencyKey: null, attempts: [attempt] },
      ...{ create: null, lookup: null, members: null },
      request: { method: 'GET', url: 'https://api.example.com', headers: {}, body: null },
    });
  };
  const waited = await waitForOperation({ read, clock, timeoutMs: 600_000, ...options });
  return { waited, clock, reads };
}

const pending = succeeded(processing);

describe('a wait', () => {
  it('reads at growing intervals, up to five seconds, until the operation is final', async () => {
    const { waited, clock } = await wait([
      ...[pending, pending, pending, pending, pending, pending],
      succeeded(confirmed),
    ]);
    expect(waited.end).toBe('final');
    expect(clock.sleeps).toEqual([1000, 1500, 2250, 3375, 5000, 5000]);
    expect(conclude(waited.conversation!, 'status').exitCode).toBe(0);
  });

  it('ends with the failure', async () => {
    const { waited } = await wait([pending, succeeded(rejected)]);
    expect(waited).toMatchObject({ end: 'final', operation: { status: 'failed' } });
    expect(conclude(waited.conversation!, 'status').exitCode).toBe(9);
  });

  it('reads nothing where what is known is final already, or waits for a person', async () => {
    for (const [body, end] of [
      [confirmed, 'final'],
      [awaitingCode, 'person'],
    ] as const) {
      const { waited, reads } = await wait([], { operation: succeeded(body).operation });
      expect([waited.end, reads.length]).toEqual([end, 0]);
    }
  });

  it('of an operation that is known to be pending pauses first', async () => {
    const { clock, reads } = await wait([succeeded(confirmed)], { operation: pending.operation });
    expect([clock.sleeps, reads.length]).toEqual([[1000], 1]);
  });

  it('ends at once where only a person can go on', async () => {
    const { waited, clock } = await wait([succeeded(awaitingCode)]);
    expect([waited.end, clock.sleeps]).toEqual(['person', []]);
    expect(conclude(waited.conversation!, 'status')).toMatchObject({
      exitCode: 8,
      next: { kind: 'confirm' },
    });
  });

  it('for a payment, or for a status that nobody knows yet, goes on', async () => {
    const awaiting = succeeded(operation('pending', { pending_reason: 'awaiting_payment' }));
    const { waited, reads } = await wait([awaiting, succeeded(operation('settling')), succeeded(confirmed)]);
    expect([waited.end, reads.length]).toEqual(['final', 3]);
  });

  it('survives lost reads, 429, 5xx and pages of a gateway', async () => {
    const bad = (['lost', 'not_sent', 'unavailable', 'server_error', 'unreadable'] as const).map((kind) =>
      attemptOf(kind),
    );
    const { waited, reads } = await wait([...bad, succeeded(confirmed)]);
    expect([waited.end, reads.length]).toEqual(['final', 6]);
  });

  it('waits as long as the service asks, up to a minute', async () => {
    const asks = (retryAfterMs: number): Attempt => attemptOf('unavailable', { retryAfterMs });
    const { clock } = await wait([asks(20_000), asks(900_000), succeeded(confirmed)]);
    expect(clock.sleeps).toEqual([20_000, 60_000]);
  });

  it.each([
    [401, 'unauthorized', 4],
    [403, 'scope_missing', 4],
    [404, 'not_found', 5],
  ] as const)('ends with an answer that no waiting changes: %i', async (status, code, exitCode) => {
    const { waited } = await wait([pending, refused(status, code)]);
    expect(waited.end).toBe('refused');
    expect(waited.operation?.status).toBe('pending');
    expect(conclude(waited.conversation!, 'status').exitCode).toBe(exitCode);
  });

  it('ends when the time is up, after one last read', async () => {
    const { waited, clock, reads } = await wait([pending], { timeoutMs: 3000 });
    expect(waited.end).toBe('expired');
    expect(clock.sleeps).toEqual([1000, 1500, 500]);
    expect(reads).toHaveLength(4);
    expect(conclude(waited.conversation!, 'status').exitCode).toBe(8);
  });

  it('that never reads anything keeps what was known', async () => {
    const { waited } = await wait([attemptOf('lost')], { timeoutMs: 2000, operation: pending.operation });
    expect(waited).toMatchObject({ end: 'expired', operation: { id: ID }, conversation: null });
  });

  it('gives a read no more time than is left, but always a second', async () => {
    const { reads, clock } = await wait([attemptOf('lost')], { timeoutMs: 40_000 }, 30_000);
    expect(reads[0]).toBe(40_000);
    expect(reads.every((timeoutMs) => timeoutMs >= 1000)).toBe(true);
    expect(clock.monotonic() - NOW_MS).toBeLessThanOrEqual(41_000);
  });

  it('ends when it is interrupted', async () => {
    const interrupt = new AbortController();
    const { waited } = await wait([pending], { signal: interrupt.signal, onRead: () => interrupt.abort() });
    expect(waited).toMatchObject({ end: 'aborted', operation: { status: 'pending' } });
  });
});
