/** What makes two sendings the same request, and how long one may be sent again. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distinctRequests, isRepeatable, isSameRequest } from '../../src/journal/intent.js';
import { HOUR_MS, intent, NOW_MS } from './given.js';

describe('isRepeatable', () => {
  it.each([
    ['at once', 0, true],
    ['after 22 hours', 22 * HOUR_MS, true],
    ['after 23 hours to the millisecond', 23 * HOUR_MS, true],
    ['a millisecond later', 23 * HOUR_MS + 1, false],
    ['after 30 days', 30 * 24 * HOUR_MS, false],
    ['on a clock that was set back by five minutes', -5 * 60_000, true],
    ['on a clock that was set back by more: its age says nothing', -5 * 60_000 - 1, false],
    ['on a clock that was set back by a year', -365 * 24 * HOUR_MS, false],
  ])('%s', (_name, ageMs, expected) => {
    expect(isRepeatable(intent(), NOW_MS + ageMs)).toBe(expected);
  });

  it('holds for no age beyond 23 hours, whatever the clock did', () => {
    fc.assert(
      fc.property(fc.integer({ min: 23 * HOUR_MS + 1, max: Number.MAX_SAFE_INTEGER - NOW_MS }), (ageMs) => {
        expect(isRepeatable(intent(), NOW_MS + ageMs)).toBe(false);
      }),
    );
  });
});

describe('isSameRequest', () => {
  it.each([
    ['key', { idempotencyKey: 'key-00000002' }],
    ['environment', { environment: 'live' as const }],
    ['address', { address: 'embedded' }],
    ['path', { path: '/v2/payins' }],
    ['one byte', { body: Buffer.from('{"amount":"10.01"}') }],
    ['white space', { body: Buffer.from('{"amount": "10.00"}') }],
  ])('is another with another %s', (_name, changes) => {
    expect(isSameRequest(intent(), intent(changes))).toBe(false);
  });

  it('is the same whoever sent it, and whenever', () => {
    const other = intent({
      createdAtMs: 0,
      keyMask: 'svc_test_...zzzz',
      body: new Uint8Array(intent().body),
    });
    expect(isSameRequest(intent(), other)).toBe(true);
  });
});

describe('distinctRequests', () => {
  it('has each request once, as it first left, the oldest first', () => {
    const again = intent({ createdAtMs: NOW_MS + 1 });
    const other = intent({ idempotencyKey: 'key-00000002', createdAtMs: NOW_MS - 1 });
    expect(distinctRequests([again, intent(), other, again])).toEqual([other, intent()]);
  });
});
