import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KEY, LOST, NOT_ARRIVED, shop } from '../../support/open-request.js';
import { payout, PAYOUT_BODY } from '../../support/requests.js';
import { ADDRESS, refusal, type Fate } from '../../support/shaky-sandbox.js';

const HOUR_MS = 3_600_000;

describe('a create whose answer was lost', () => {
  it('ends in 12 and is repeated with the same key, bytes and address, and paid once', async () => {
    const { svc, pay, open, service } = shop();
    const lost = await pay(KEY, LOST);
    expect([lost.exitCode, lost.stdout]).toEqual([12, '']);
    const next_command = `svc requests repeat -- ${KEY}`;
    expect(lost.error()).toMatchObject({ outcome: 'unknown', idempotency_key: KEY, next_command });
    const repeated = await svc(next_command.replace('svc ', ''));
    expect(repeated.exitCode).toBe(0);
    expect(repeated.json()).toMatchObject({ status: 'confirmed', reference: KEY });
    expect(repeated.stderr).toContain(`Idempotency-Key: ${KEY}\n`);
    const [first, ...others] = service.posts.map(({ url, headers, body }) => [
      ...[url, headers['idempotency-key'], Buffer.from(body ?? []).toString()],
    ]);
    expect(first?.slice(0, 2)).toEqual([`${ADDRESS}/sandbox/v2/payouts`, KEY]);
    expect(others).toEqual([first, first, first]);
    expect(await service.ledger()).toEqual({ [KEY]: 1 });
    expect(await open()).toEqual([]);
    const again = await svc(`requests repeat ${KEY}`);
    expect(again.error()).toMatchObject({ exit_code: 5, outcome: 'not_sent' });
  });

  it('keeps bytes that no program would write the same way again', async () => {
    const { svc, service, open } = shop();
    const body = ` ${PAYOUT_BODY.replace('"5.00"', ' "5.00"').replace('04121234567', '0412123456\\u0037')}\r\n`;
    service.next(...LOST);
    const words = ['api', 'POST', '/v2/payouts', '--data', '-', '--idempotency-key', KEY];
    expect((await svc(words, { stdin: body })).exitCode).toBe(12);
    expect((await svc(`requests repeat ${KEY}`)).exitCode).toBe(0);
    expect(service.posts.map((post) => Buffer.from(post.body ?? []).toString())).toEqual(Array(4).fill(body));
    expect(await open()).toEqual([]);
  });

  it('prints the operation and ends with 9 where it is failed', async () => {
    const { svc, service, home } = shop();
    service.next(...LOST);
    expect((await svc([...payout('00000001'), '--idempotency-key', KEY])).exitCode).toBe(12);
    home.clock.advance(HOUR_MS);
    const repeated = await svc(`requests repeat ${KEY}`);
    expect([repeated.exitCode, repeated.json()['status']]).toEqual([9, 'failed']);
    expect(repeated.error()).toMatchObject({ outcome: 'sent', idempotency_key: KEY });
    expect((await svc(`requests repeat ${KEY}`)).exitCode).toBe(5);
  });
});

const SPOILT = { field: 'Idempotency-Key', code: 'invalid' };
const fates: readonly (readonly [name: string, fates: readonly Fate[], exitCode: number])[] = [
  ['lost again', LOST, 12],
  ['a key that the service does not know', [refusal(401, 'unauthorized')], 4],
  ['not now', Array<Fate>(3).fill(refusal(503, 'temporarily_unavailable')), 10],
  ['a key that was spoilt', [refusal(400, 'field_invalid', [SPOILT])], 12],
  ['a rejection of these bytes', [refusal(400, 'amount_out_of_range')], 12],
  ['a key that is said to be of another request', [refusal(409, 'idempotency_key_reused')], 12],
];

it.each(fates)('what a repetition does not settle stays open: %s', async (_name, met, exitCode) => {
  const { svc, pay, open, service } = shop();
  await pay(KEY, LOST);
  service.next(...met);
  const repeated = await svc(`requests repeat ${KEY} --sandbox`);
  expect([repeated.exitCode, repeated.stdout]).toEqual([exitCode, '']);
  const next_command = `svc requests repeat --sandbox -- ${KEY}`;
  expect(repeated.error()).toMatchObject({ outcome: 'unknown', idempotency_key: KEY, next_command });
  expect(await open()).toMatchObject([{ idempotency_key: KEY }]);
  service.next();
  expect((await svc(`requests repeat ${KEY}`)).exitCode).toBe(0);
  expect(await service.ledger()).toEqual({ [KEY]: 1 });
  expect(await open()).toEqual([]);
});

describe('where nothing is sent', () => {
  it('another environment is 13', async () => {
    const { svc, pay, open, service } = shop();
    await pay(KEY, LOST);
    const env = { SVC_API_KEY: 'svc_live_0123456789' };
    const refused = await svc(`requests repeat ${KEY} --live --insecure-loopback`, { env });
    const known = { outcome: 'unknown', idempotency_key: KEY };
    expect(refused.error()).toMatchObject({ exit_code: 13, code: 'other_place', ...known });
    expect(service.posts).toHaveLength(3);
    expect(await open()).toHaveLength(1);
  });

  it('after 23 hours, and on a clock that cannot be believed, it is 13; a little earlier it is not', async () => {
    const ages = fc.oneof(
      fc.integer({ min: 23 * HOUR_MS + 2000, max: 29 * 24 * HOUR_MS }),
      fc.integer({ min: -400 * 24 * HOUR_MS, max: -10 * 60_000 - 2000 }),
    );
    const { home, svc, pay, service } = shop();
    const sentAtMs = home.clock.now();
    await pay(KEY, NOT_ARRIVED);
    await fc.assert(
      fc.asyncProperty(ages, async (ageMs) => {
        home.clock.advance(sentAtMs + ageMs - home.clock.now());
        const refused = await svc(`requests repeat ${KEY}`);
        const code = ageMs < 0 ? 'clocks_disagree' : 'too_old';
        expect(refused.error()).toMatchObject({ exit_code: 13, code, outcome: 'unknown' });
        expect(service.posts).toHaveLength(3);
      }),
      { numRuns: 10, examples: [[23 * HOUR_MS + 2000], [-10 * 60_000 - 2000]] },
    );
    home.clock.advance(sentAtMs + 22.9 * HOUR_MS - home.clock.now());
    expect((await svc(`requests repeat ${KEY}`)).exitCode).toBe(0);
    expect(await service.ledger()).toEqual({ [KEY]: 1 });
  });

  it('two different requests with one key are for a person', async () => {
    const { svc, pay, open, service } = shop();
    await pay(KEY, NOT_ARRIVED);
    service.next(...LOST);
    await svc([...payout('12345678', '6.00'), '--idempotency-key', KEY]);
    expect(await open()).toMatchObject([{ amount: '5.00' }, { amount: '6.00' }]);
    const refused = await svc(`requests repeat ${KEY}`);
    expect(refused.error()).toMatchObject({ exit_code: 13, code: 'two_requests', outcome: 'unknown' });
    expect(service.posts).toHaveLength(6);
  });
});
