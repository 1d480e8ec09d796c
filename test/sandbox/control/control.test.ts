/** The control api: what it takes, what it refuses, and that each refusal names its fields. */
import { describe, expect, it } from 'vitest';
import { ENDPOINT_IDS } from '../../../src/contract/endpoints.js';
import { FAILURES } from '../../../src/contract/failures.js';
import { create } from '../support/bodies.js';
import { START_MS } from '../support/clock.js';
import { allEvents, expectRefusal } from '../support/expectations.js';
import { openWorld } from '../support/world.js';

describe('routes', () => {
  it.each([
    '/_control',
    '/_control/',
    '/_control/x',
    '/_control/clock/',
    '/_control//clock',
    '/_control/__proto__',
    '/_control/deliveries/x/y',
  ])('%s does not exist', async (target) => {
    const world = await openWorld();
    expectRefusal(await world.send('GET', target, { key: null }), 'route_not_found');
  });

  it.each([
    ['DELETE', 'clock', 'GET, POST'],
    ['GET', 'payments', 'POST'],
    ['POST', 'deliveries', 'GET'],
    ['POST', 'deliveries/x', 'GET'],
    ['GET', 'deliveries/x/resend', 'POST'],
    ['GET', 'reset', 'POST'],
  ])('%s is not allowed at %s', async (method, path, allowed) => {
    const world = await openWorld();
    const reply = await world.send(method, `/_control/${path}`, { key: null });
    expectRefusal(reply, 'method_not_allowed');
    expect(reply.headers['allow']).toBe(allowed);
  });
});

describe('what is refused', () => {
  const payment = {
    method: 'incoming_transfer',
    currency: 'VES',
    amount: '1.00',
    bank_code: '0102',
    phone: '04121234567',
  };
  const document = { type: 'V', number: '1' };
  it.each<[string, unknown, string, string[]]>([
    ['/clock', undefined, 'field_required', ['advance_seconds: required']],
    ['/clock', { advance_seconds: -1 }, 'field_invalid', ['advance_seconds: invalid']],
    ['/clock', { advance_seconds: '60' }, 'field_invalid', ['advance_seconds: invalid']],
    ['/clock', { advance_seconds: 1e15 }, 'field_invalid', ['advance_seconds: invalid']],
    ['/clock', { advance_seconds: 1, now: 1 }, 'field_invalid', ['now: unknown']],
    ['/payments', { ...payment, method: 'debit_otp' }, 'field_invalid', ['method: invalid']],
    ['/payments', { ...payment, amount: 1 }, 'field_invalid', ['amount: invalid']],
    ['/payments', { ...payment, amount: '-1' }, 'field_invalid', ['amount: invalid']],
    [
      '/payments',
      { ...payment, phone: undefined },
      'field_required',
      ['phone: required', 'document: required'],
    ],
    ['/payments', { ...payment, document: { type: 'V' } }, 'field_required', ['document.number: required']],
    [
      '/payments',
      { document, method: 'incoming_transfer' },
      'field_required',
      ['amount: required', 'bank_code: required', 'currency: required'],
    ],
    ['/payments', { ...payment, name: 'x' }, 'field_invalid', ['name: unknown']],
    ['/keys', { scopes: ['payins:create'] }, 'field_invalid', ['scopes.0: invalid']],
    ['/keys', { scopes: 'payins:crear' }, 'field_invalid', ['scopes: invalid']],
    ['/keys', { environment: 'production' }, 'field_invalid', ['environment: invalid']],
    ['/keys', { company: '' }, 'field_invalid', ['company: invalid']],
    ['/keys', { company: 'a\nb' }, 'field_invalid', ['company: invalid']],
    ['/keys', { name: 'x' }, 'field_invalid', ['name: unknown']],
    ['/ping', undefined, 'field_invalid', ['company: invalid']],
    ['/ping', { company: 'nobody' }, 'field_invalid', ['company: invalid']],
    ['/faults', {}, 'field_required', ['route: required']],
    ['/faults', { route: '*' }, 'field_required', ['kind: required']],
    ['/faults', { route: 'payouts', status: 503 }, 'field_invalid', ['route: invalid']],
    ['/faults', { route: '*', status: 200 }, 'field_invalid', ['status: invalid']],
    ['/faults', { route: '*', status: 600 }, 'field_invalid', ['status: invalid']],
    ['/faults', { route: '*', status: '503' }, 'field_invalid', ['status: invalid']],
    ['/faults', { route: '*', kind: 'status' }, 'field_required', ['status: required']],
    ['/faults', { route: '*', kind: 'explode' }, 'field_invalid', ['kind: invalid']],
    ['/faults', { route: '*', kind: 'garbage', status: 503 }, 'field_invalid', ['status: unknown']],
    ['/faults', { route: '*', kind: 'garbage', delay_ms: 5 }, 'field_invalid', ['delay_ms: unknown']],
    ['/faults', { route: '*', kind: 'delay', delay_ms: -5 }, 'field_invalid', ['delay_ms: invalid']],
    ['/faults', { route: '*', status: 503, count: 0 }, 'field_invalid', ['count: invalid']],
    ['/faults', { route: '*', status: 503, count: 1.5 }, 'field_invalid', ['count: invalid']],
    ['/faults', { route: '*', kind: 'outcome' }, 'field_required', ['failure: required']],
    [
      '/faults',
      { route: '*', kind: 'outcome', failure: { code: 'nope', reason: 'other' } },
      'field_invalid',
      ['failure.code: invalid'],
    ],
    [
      '/faults',
      { route: '*', kind: 'outcome', failure: { code: 'expired', reason: 'other' } },
      'field_invalid',
      ['failure.reason: invalid'],
    ],
    ['/reset', { all: true }, 'field_invalid', ['all: unknown']],
  ])('%s %j', async (path, body, code, details) => {
    const world = await openWorld();
    const before = (await world.control('GET', '/status')).text;
    const split = details.map((text) => {
      const [field = '', detail = ''] = text.split(': ');
      return { field, code: detail };
    });
    expectRefusal(await world.control('POST', path, body), code, split);
    expect((await world.control('GET', '/status')).text).toBe(before);
  });

  it.each(['[]', '{', '{"advance_seconds":1,"advance_seconds":2}'])('a body like %s', async (body) => {
    const world = await openWorld();
    expectRefusal(await world.control('POST', '/clock', body), 'body_invalid');
  });

  it('a delivery that nobody has', async () => {
    const world = await openWorld();
    expectRefusal(await world.control('POST', '/deliveries/x/resend'), 'not_found');
  });
});

describe('what is taken', () => {
  it('every endpoint as a route, and every failure of section 7 as an outcome', async () => {
    const world = await openWorld();
    for (const route of [...ENDPOINT_IDS, '*']) {
      expect((await world.control('POST', '/faults', { route, status: 503, count: 3 })).text).toBe(
        '{"armed":3}',
      );
    }
    for (const [code, { reasons }] of Object.entries(FAILURES)) {
      for (const reason of reasons) {
        const fault = { route: '*', kind: 'outcome', failure: { code, reason } };
        expect((await world.control('POST', '/faults', fault)).text).toBe('{"armed":1}');
      }
    }
  });

  it('keys of a company and environment, with the scopes asked for', async () => {
    const world = await openWorld();
    const keyOf = async (body: object): Promise<string> =>
      ((await world.control('POST', '/keys', body)).json as unknown as { api_key: string }).api_key;
    const [all, none, live] = [
      await keyOf({}),
      await keyOf({ company: 'acme', scopes: [] }),
      await keyOf({ environment: 'live' }),
    ];
    expect([all, none, live].map((key) => key.slice(0, 9))).toEqual(['svc_test_', 'svc_test_', 'svc_live_']);
    expect((await world.get('/v2/balances', { key: all })).status).toBe(200);
    expect((await world.get('/v2/methods', { key: none })).status).toBe(200);
    expectRefusal(await world.get('/v2/balances', { key: none }), 'scope_missing');
    expectRefusal(await world.get('/v2/balances', { key: live }), 'unauthorized');
    expect((await world.send('GET', '/v2/balances', { key: live })).status).toBe(200);
  });
});

describe('reset', () => {
  it('empties everything but the ready key', async () => {
    const world = await openWorld({ allowHttpWebhooks: true });
    const other = (await world.control('POST', '/keys', { company: 'acme' })).json as unknown as {
      api_key: string;
    };
    await world.post('/v2/webhook-endpoints', { url: 'https://example.com/hook' });
    await create(world, 'mobile_payment', { idempotencyKey: 'key-of-the-test' });
    const cursor = (await world.get('/v2/events')).json.next_cursor!;
    await world.control('POST', '/faults', { route: '*', status: 503, count: 5 });
    await world.control('POST', '/clock', { advance_seconds: 86_400 });
    expect((await world.control('POST', '/reset')).text).toBe('{"reset":true}');

    expect((await world.control('GET', '/clock')).json).toEqual({
      now: new Date(START_MS).toISOString().replace('.000', ''),
      next_due: null,
    });
    expect((await world.control('GET', '/deliveries')).json).toEqual({ deliveries: [] });
    expectRefusal(await world.get('/v2/balances', { key: other.api_key }), 'unauthorized');
    expect(await allEvents(world)).toEqual([]);
    const { balances } = (await world.get('/v2/balances')).json;
    expect(balances.filter(({ available }) => Number(available) !== 0)).toEqual([]);
    // A cursor from before does not jump over what comes after.
    const fresh = await create(world, 'mobile_payment', { idempotencyKey: 'key-of-the-test' });
    expect(fresh.json.bank_reference).toBe('00000001');
    const page = (await world.get(`/v2/events?cursor=${cursor}`)).json;
    expect(page.events.map(({ data }) => data.id)).toEqual([fresh.json.id]);
    expect((await world.control('GET', '/deliveries')).json).toEqual({ deliveries: [] });
  });
});
