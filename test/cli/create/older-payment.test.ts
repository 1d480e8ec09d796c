/** An answer with an operation that was there before the bytes left, and keys that are known to have made one. */
import { describe, expect, it } from 'vitest';
import { KEY, shop } from '../../support/open-request.js';
import { operation, payout } from '../../support/requests.js';
import type { Fate } from '../../support/shaky-sandbox.js';
const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-09-23T15:00:00Z');

/** An operation that was made that long before these bytes leave, and the service's time. */
function madeBefore(ms: number, changes: object = {}): Fate {
  const created = new Date(START_MS - ms).toISOString().replace('.000Z', 'Z');
  return {
    status: 201,
    body: operation({ reference: KEY, created_at: created, ...changes }),
    headers: { date: new Date(START_MS).toUTCString() },
  };
}

describe('an operation that was made before', () => {
  it('is what a key of the user’s own has made: 0, and a note that nothing new was paid', async () => {
    const { pay, open } = shop();
    const paid = await pay(KEY, [madeBefore(48 * HOUR_MS)]);
    expect(paid.exitCode, paid.stderr).toBe(0);
    expect(paid.json()).toMatchObject({ reference: KEY });
    expect(paid.stderr).toContain(
      'This key made operation 6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f at 2026-09-21T15:00:00Z. Nothing new was paid.',
    );
    expect(await open()).toEqual([]);
  });

  it('is no answer to a generated key: 12, and kept', async () => {
    const { svc, open, service } = shop();
    service.next(...Array<Fate>(3).fill(madeBefore(48 * HOUR_MS)));
    const paid = await svc([...payout(), '--reference', KEY]);
    expect([paid.exitCode, paid.stdout]).toEqual([12, '']);
    expect(paid.error()).toMatchObject({ code: 'older_payment', outcome: 'unknown' });
    expect(paid.error()['message']).toMatch(/older payment\. It is not known whether anything new was paid/);
    expect(await open()).toHaveLength(1);
  });
});

describe('the same command line again', () => {
  it('is answered with what its key has made, with a note', async () => {
    const { home, pay, service } = shop();
    const first = await pay(KEY);
    expect(first.stderr).not.toMatch(/Nothing new/);
    home.clock.advance(22 * HOUR_MS);
    const again = await pay(KEY);
    expect([again.exitCode, again.json()['id']]).toEqual([0, first.json()['id']]);
    expect(again.stderr).toContain(`This key made operation ${String(first.json()['id'])} at 2026-09-23`);
    expect(await service.ledger()).toEqual({ [KEY]: 1 });
  });

  it('is refused after 23 hours, by the name of the operation', async () => {
    const { home, pay, open, service } = shop();
    const first = await pay(KEY);
    home.clock.advance(23 * HOUR_MS + 2000);
    const refused = await pay(KEY);
    expect(refused.error()).toMatchObject({
      exit_code: 13,
      code: 'key_used',
      outcome: 'not_sent',
      idempotency_key: KEY,
      next_command: `svc transactions get ${String(first.json()['id'])}`,
    });
    expect(refused.error()['message']).toContain(String(first.json()['id']));
    expect(service.posts).toHaveLength(1);
    expect(await open()).toEqual([]);
  });

  it('does not say so where the service has forgotten the key, and has made another one', async () => {
    const { pay, open } = shop();
    const first = await pay(KEY);
    const again = await pay(KEY, [
      { status: 201, body: operation({ reference: KEY, created_at: '2026-09-23T15:00:00Z' }) },
    ]);
    expect(again.exitCode).toBe(0);
    expect(again.stderr).not.toMatch(/Nothing new/);
    expect(again.stderr).toContain(
      `This key made operation ${String(first.json()['id'])} before, but the service answered with another one`,
    );
    expect(await open()).toEqual([]);
  });
});
