import { describe, expect, it } from 'vitest';
import { KEY, LOST, shop } from '../../support/open-request.js';
import { PAYOUT_BODY } from '../../support/requests.js';
import { ADDRESS } from '../../support/shaky-sandbox.js';

const DAY_MS = 24 * 3_600_000;

describe('svc requests list', () => {
  it('says which payment it is, where it went, who asked, and whether it can be repeated', async () => {
    const { home, pay, open, service } = shop();
    expect(await open()).toEqual([]);
    await pay(KEY, LOST);
    const one = {
      ...{ idempotency_key: KEY, endpoint: 'payouts.create', environment: 'sandbox' },
      ...{ address: `${ADDRESS}/sandbox`, api_key: `svc_test_...${service.sandbox.apiKey.slice(-4)}` },
      ...{ created_at: '2026-09-23T15:00:00Z', repeatable: true, reference: KEY },
      ...{ method: 'mobile_payment', amount: '5.00', currency: 'VES' },
    };
    expect(await open()).toEqual([one]);
    home.clock.advance(DAY_MS);
    expect(await open()).toEqual([{ ...one, repeatable: false }]);
    home.clock.advance(30 * DAY_MS);
    await pay('invoice-2049');
    expect(await open()).toEqual([]);
  });

  it('names a request once, however often it was sent', async () => {
    const { svc, pay, open, service, home } = shop();
    await pay(KEY, LOST);
    home.clock.advance(60_000);
    await pay(KEY, LOST);
    service.next(...LOST);
    await svc(`requests repeat ${KEY}`);
    expect(await open()).toMatchObject([{ idempotency_key: KEY, created_at: '2026-09-23T15:00:00Z' }]);
    expect((await pay(KEY)).exitCode).toBe(0);
    expect(await open()).toEqual([]);
    expect(await service.ledger()).toEqual({ [KEY]: 1 });
  });

  it('holds nothing of whose payment it is, in any form', async () => {
    const { svc, pay } = shop();
    await pay(KEY, LOST);
    for (const form of ['json', 'table', 'csv', 'ndjson']) {
      const { stdout, exitCode } = await svc(`requests list -o ${form}`);
      expect(exitCode).toBe(0);
      expect(stdout).toContain(KEY);
      expect(stdout).not.toMatch(/04121234567|12345678/);
    }
  });
});

describe('svc requests show', () => {
  it('adds the body, byte for byte', async () => {
    const { svc, service } = shop();
    const body = PAYOUT_BODY.replace('"5.00"', '"5.00" ,  "reference":"\\u00e9"');
    service.next(...LOST);
    await svc(['api', 'POST', '/v2/payouts', '--data', body, '--idempotency-key', KEY]);
    const { stdout } = await svc(`requests show ${KEY}`);
    expect(stdout).toContain(`"body":${body}}\n`);
    const shown = { idempotency_key: KEY, body: { amount: '5.00', reference: 'é' } };
    expect(JSON.parse(stdout)).toMatchObject(shown);
  });

  it('knows no other key', async () => {
    expect((await shop().svc('requests show no-such-key')).error()).toMatchObject({ exit_code: 5 });
  });
});

it.each(['--yes', `${KEY} --all --yes`])('svc requests forget does nothing for "%s"', async (which) => {
  const { svc, pay, open } = shop();
  await pay(KEY, LOST);
  expect((await svc(`requests forget ${which}`)).error()).toMatchObject({
    exit_code: 2,
    outcome: 'not_sent',
  });
  expect(await open()).toHaveLength(1);
});
