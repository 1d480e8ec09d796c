import { describe, expect, it } from 'vitest';
import { KEY, shop } from '../../support/open-request.js';
import { ID, operation, payout } from '../../support/requests.js';
import type { Fate } from '../../support/shaky-sandbox.js';
const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-09-23T15:00:00Z');

function madeBefore(ms: number): Fate {
  const created = new Date(START_MS - ms).toISOString().replace('.000Z', 'Z');
  const headers = { date: new Date(START_MS).toUTCString() };
  return { status: 201, body: operation({ reference: KEY, created_at: created }), headers };
}

describe('an operation that was made before', () => {
  it('is what a key of the user’s own has made: 0, and a note that nothing new was paid', async () => {
    const { pay, open } = shop();
    const paid = await pay(KEY, [madeBefore(48 * HOUR_MS)]);
    expect(paid.exitCode, paid.stderr).toBe(0);
    expect(paid.json()).toMatchObject({ reference: KEY });
    const said = `This key made operation ${ID} at 2026-09-21T15:00:00Z. Nothing new was paid.`;
    expect(paid.stderr).toContain(said);
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

it('the same line again does not say so where the service has forgotten the key, and made another one', async () => {
  const { pay, open } = shop();
  const first = await pay(KEY);
  const again = await pay(KEY, [madeBefore(0)]);
  expect(again.exitCode).toBe(0);
  expect(again.stderr).not.toMatch(/Nothing new/);
  const said = `This key made operation ${String(first.json()['id'])} before, but the service answered with`;
  expect(again.stderr).toContain(`${said} another one`);
  expect(await open()).toEqual([]);
});
