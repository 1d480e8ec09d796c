import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.js';
import { PAYOUT } from '../store/request.js';
import { openWorld } from '../support/world.js';

const SIZE = 500_000;
const payment = { method: 'incoming_transfer', currency: 'VES', bank_code: '0102', phone: '1' };
const text = (value: unknown): string => JSON.stringify(value);

/** Each body takes tens of milliseconds. Quadratic reading would take minutes. */
const PATIENCE_MS = 5000;

describe('a body of half a megabyte', () => {
  it.each<[string, string, string]>([
    ['an amount of nines', '/sandbox/v2/payouts', text({ ...PAYOUT, amount: '9'.repeat(SIZE) })],
    ['zeros in an amount', '/sandbox/v2/payouts', text({ ...PAYOUT, amount: `1.${'0'.repeat(SIZE)}1` })],
    ['spaces', '/sandbox/v2/payouts', `{${' '.repeat(SIZE)}"metadata":{${' '.repeat(4000)}}}`],
    ['zeros in a payment', '/_control/payments', text({ ...payment, amount: `1.${'0'.repeat(SIZE)}1` })],
    ['a url', '/sandbox/v2/webhook-endpoints', text({ url: `https://${'a.'.repeat(SIZE / 2)}` })],
  ])('of %s', async (_, target, body) => {
    const world = await openWorld();
    const start = systemClock.monotonic();
    const reply = await world.send('POST', target, { body, idempotencyKey: 'key-of-the-test' });
    expect(systemClock.monotonic() - start).toBeLessThan(PATIENCE_MS);
    expect(reply.status).toBe(target.endsWith('payments') ? 200 : 400);
  });
});
