import { describe, expect, it } from 'vitest';
import { PAYOUT } from '../store/request.js';
import type { Answered } from '../support/answered.js';
import { expectRefusal } from '../support/expectations.js';
import type { Reply } from '../support/exchange.js';
import { openWorld, type World } from '../support/world.js';

async function page(world: World, query = ''): Promise<Answered> {
  const reply = await world.control('GET', `/requests${query}`);
  expect(reply.status).toBe(200);
  return reply.json;
}

const whole = async (world: World, id: number): Promise<Answered> =>
  (await world.control('GET', `/requests/${String(id)}`)).json;

const payout = (world: World, idempotencyKey = 'key-of-the-test'): Promise<Reply> =>
  world.post('/v2/payouts', PAYOUT, { idempotencyKey });

const PAYIN = {
  ...{ amount: '10.50', country: 'VE', currency: 'VES', method: 'debit_otp' },
  payer: { bank_code: '0102', phone: '04121234567', document: { type: 'V', number: '12345678' } },
};

const idsOf = ({ requests }: Answered): number[] => requests.map(({ id }) => id);

describe('the log', () => {
  it('has every request of the service with what became of it, and none to the control', async () => {
    const world = await openWorld();
    const made = await payout(world);
    await payout(world);
    await world.control('POST', '/clock', { advance_seconds: 60 });
    await world.get('/v2/balances', { key: null });
    await world.control('POST', '/faults', { route: 'balances', kind: 'drop-before' });
    await world.get('/v2/balances');
    const { requests, next } = await page(world);
    expect(next).toBeNull();
    const before = { at: '2026-09-23T15:04:05Z', wall_at: '2026-09-23T15:04:05.000Z' };
    expect(requests).toEqual([
      {
        ...before,
        ...{ id: 1, method: 'POST', path: '/sandbox/v2/payouts', endpoint: 'payouts.create' },
        ...{ company: 'default', status: 201, ms: 0, idempotency_key: 'key-of-the-test' },
        ...{ replayed: false, fault: null, refused: null },
      },
      expect.objectContaining({ id: 2, status: 201, replayed: true, company: 'default' }),
      {
        ...{ at: '2026-09-23T15:05:05Z', wall_at: before.wall_at },
        ...{ id: 3, method: 'GET', path: '/sandbox/v2/balances', endpoint: 'balances' },
        ...{ company: null, status: 401, ms: 0, idempotency_key: null, replayed: false, fault: null },
        refused: expect.stringMatching(/^\S.*\.$/) as string,
      },
      expect.objectContaining({ id: 4, status: null, fault: 'drop-before', refused: null }),
    ]);
    const { operations } = (await world.control('GET', '/operations')).json;
    expect(operations.map(({ id }) => id)).toEqual([made.json.id]);
    expect((await world.control('GET', `/operations/${made.json.id}`)).json.requests).toEqual([1, 2]);
  });

  it('comes in pages, forwards behind an id and backwards before one', async () => {
    const world = await openWorld();
    for (let made = 0; made < 5; made += 1) await world.get('/v2/balances');
    const first = await page(world, '?limit=2');
    expect([idsOf(first), first.next]).toEqual([[1, 2], 2]);
    const rest = await page(world, '?limit=3&after=2');
    expect([idsOf(rest), rest.next]).toEqual([[3, 4, 5], null]);
    expect(await page(world, '?after=5')).toEqual({ requests: [], next: null });
    const back = await page(world, '?limit=2&before=5');
    expect([idsOf(back), back.next]).toEqual([[4, 3], 3]);
    expect(idsOf(await page(world, '?before=3'))).toEqual([2, 1]);
    expect(idsOf(await page(world, '?before=newest'))[0]).toBe(5);
  });

  it('is narrowed down by status, method and a part of the path', async () => {
    const world = await openWorld();
    await world.get('/v2/balances');
    await world.get('/v2/nothing');
    await payout(world);
    await world.control('POST', '/faults', { route: '*', kind: 'drop-after' });
    await world.get('/v2/balances');
    expect(idsOf(await page(world, '?status=404'))).toEqual([2]);
    expect(idsOf(await page(world, '?status=2xx'))).toEqual([1, 3]);
    expect(idsOf(await page(world, '?status=cut'))).toEqual([4]);
    expect(idsOf(await page(world, '?method=post'))).toEqual([3]);
    expect(idsOf(await page(world, '?path=balances&status=200'))).toEqual([1]);
    expect(idsOf(await page(world, '?path=%25'))).toEqual([]);
    const { id } = (await world.control('GET', '/operations')).json.operations[0]!;
    expect(idsOf(await page(world, `?operation=${id.toUpperCase()}`))).toEqual([3]);
    expect(idsOf(await page(world, '?search=KEY-OF-the'))).toEqual([3]);
    expect(idsOf(await page(world, '?company=default&environment=sandbox&status=404'))).toEqual([]);
    expect(idsOf(await page(world, '?company=default&environment=sandbox'))).toContain(1);
    expect(idsOf(await page(world, '?environment=live'))).toEqual([]);
  });

  const PAGES = 'limit=0 limit=201 limit=x after=-1 after=x before=1.5 after=1&before=2 after=1&after=2';
  const REFUSED = `${PAGES} environment=x status=600 status=x after=99999999999999999999`;
  it.each(REFUSED.split(' '))('refuses %s', async (query) => {
    const world = await openWorld();
    const reply = await world.control('GET', `/requests?${query}`);
    expect([reply.status, reply.json.error.code]).toEqual([400, 'field_invalid']);
  });

  const absent = ['x', '0', '-1', '1.0', '01', '%31', '99999999999999999999', '2'];
  it.each(absent)('has nothing under %s', async (id) => {
    const world = await openWorld();
    await world.get('/v2/balances');
    expectRefusal(await world.control('GET', `/requests/${id}`), 'not_found');
  });

  it('keeps the last thousand, whose numbers go on', async () => {
    const world = await openWorld();
    for (let made = 0; made < 2300; made += 1) await world.get('/v2/balances');
    expect(idsOf(await page(world, '?limit=1'))).toEqual([1301]);
    for (let made = 0; made < 30; made += 1) await world.get('/v2/balances');
    expect(idsOf(await page(world, '?limit=1'))).toEqual([1331]);
    expect(idsOf(await page(world, '?limit=1&before=9999'))).toEqual([2330]);
    expectRefusal(await world.control('GET', '/requests/1330'), 'not_found');
  });

  it('is emptied by a reset, and its numbers go on', async () => {
    const world = await openWorld();
    await world.get('/v2/balances');
    await page(world);
    await world.get('/v2/balances');
    await world.control('POST', '/reset');
    expect(await page(world)).toEqual({ requests: [], next: null });
    await world.get('/v2/balances');
    expect(idsOf(await page(world))).toEqual([2]);
  });

  it('skips no number for requests that a reset took before they were kept', async () => {
    const world = await openWorld();
    for (let made = 0; made < 2300; made += 1) await world.get('/v2/balances');
    await world.control('POST', '/reset');
    await world.get('/v2/balances');
    expect(idsOf(await page(world))).toEqual([1]);
  });
});

describe('both sides', () => {
  it('are there as they were, the key masked', async () => {
    const world = await openWorld();
    const made = await payout(world);
    const { request, answer } = await whole(world, 1);
    expect(request.headers).toEqual({
      ...{ host: '127.0.0.1', authorization: `Bearer svc_test_...${world.key.slice(-4)}` },
      ...{ 'content-type': 'application/json', 'idempotency-key': 'key-of-the-test' },
    });
    expect(JSON.parse(request.body)).toMatchObject({ method: 'mobile_payment' });
    expect(answer.body).toBe(made.text);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  it('tell neither a key, nor a secret, nor a code, wherever it stands', async () => {
    const world = await openWorld();
    const payin = (await world.post('/v2/payins', PAYIN, { idempotencyKey: 'key-of-the-test' })).json;
    await world.post('/v2/webhook-endpoints', { url: 'https://example.com/hook' });
    const path = `/v2/payins/${payin.id}/confirm`;
    await world.post(path, '{"code": "987654" 987654');
    await world.post(path, '{"code":987654x}');
    await world.post(path, { CODE: '987654', pin: '987654' });
    await world.post(path, { code: '987654' });
    const cookie = ['Cookie', 'session=abc'] as const;
    await world.get(`/v2/balances?key=${world.key}`, { headers: [cookie, ['X-Key', world.key]] });
    await world.get('/v2/balances', { key: null, headers: [['Authorization', 'Basic c2VjcmV0']] });
    const { requests } = await page(world);
    const all = await Promise.all(requests.map(({ id }) => whole(world, id)));
    const text = JSON.stringify(all);
    expect(text).not.toMatch(/whsec_[0-9a-f]/);
    for (const told of [world.key, '987654', 'c2VjcmV0', 'session=abc']) expect(text).not.toContain(told);
    expect(all.at(-3)?.request.body).toBe('{"code":"..."}');
    expect(all[1]?.answer.body).toContain('"secret":"whsec_..."');
  });

  it('are text, or base64 where they are none, and 64 KiB of them', async () => {
    const world = await openWorld();
    await world.post('/v2/payouts', Buffer.from([0xff, 0x00, 0xfe]));
    await world.post('/v2/payouts', 'é'.repeat(40_000));
    await world.post('/v2/payouts', Buffer.alloc(1024 * 1024 + 1, 'x'), { idempotencyKey: 'key-large' });
    const [binary, text, large] = await Promise.all([1, 2, 3].map((id) => whole(world, id)));
    expect(binary?.request).toMatchObject({ body: '/wD+', encoding: 'base64' });
    expect(text?.request).toMatchObject({ body: 'é'.repeat(32_768), truncated: true });
    expect(large?.request.body).toHaveLength(65_536);
    expect(large).toMatchObject({ status: 413, request: { truncated: true } });
    expect(text?.request).not.toHaveProperty('encoding');
  });

  it('cut no character in two', async () => {
    const world = await openWorld();
    await world.post('/v2/payouts', `x${'é'.repeat(40_000)}`);
    expect((await whole(world, 1)).request.body).toBe(`x${'é'.repeat(32_767)}`);
  });

  it('tell what was lost after it was carried out, and nothing of what never was', async () => {
    const world = await openWorld();
    await world.control('POST', '/faults', { route: 'balances', kind: 'drop-after' });
    await world.control('POST', '/faults', { route: 'balances', kind: 'drop-before' });
    await world.get('/v2/balances');
    await world.get('/v2/balances');
    expect((await whole(world, 1)).answer.body).toContain('"balances"');
    expect((await whole(world, 2)).answer).toEqual({ headers: {}, body: '' });
  });

  it('take any text in a header, a path and a body for what it is', async () => {
    const world = await openWorld();
    const hostile = '<img src=x onerror=alert(1)>"\'\\\u0000\u202e';
    await world.send('GET', `/sandbox/v2/${hostile}`, { headers: [['__proto__', hostile]], body: hostile });
    const logged = await whole(world, 1);
    expect(logged).toHaveProperty('path', `/sandbox/v2/${hostile}`);
    expect(Object.entries(logged.request.headers)).toContainEqual(['__proto__', hostile]);
    expect(logged.request.body).toBe(hostile);
  });
});

it('the number of a delay is in the time that an answer took', async () => {
  const world = await openWorld();
  await world.control('POST', '/faults', { route: '*', kind: 'delay', delay_ms: 250 });
  await world.get('/v2/balances');
  expect((await page(world)).requests).toMatchObject([{ ms: 250, fault: 'delay', status: 200 }]);
});

it('what a page asks for its forms is no request of a program, and meets no fault', async () => {
  const world = await openWorld();
  await world.control('POST', '/faults', { route: '*', status: 503 });
  const catalog = await world.control('GET', '/capabilities');
  const banks = await world.control('GET', '/banks?country=VE&method=debit_otp');
  expect((await page(world)).requests).toEqual([]);
  expect((await world.get('/v2/balances')).status).toBe(503);
  expect(catalog.text).toBe((await world.get('/v2/capabilities')).text);
  expect(banks.text).toBe((await world.get('/v2/banks?country=VE&method=debit_otp')).text);
  expect((await world.control('GET', '/banks')).json.error.code).toBe('field_required');
});

it('one request names the operation that it was about', async () => {
  const world = await openWorld();
  const { id } = (await payout(world)).json;
  await world.get('/v2/balances');
  const both = [await whole(world, 1), await whole(world, 2)];
  expect(both).toMatchObject([{ operation: id }, { operation: null }]);
});
