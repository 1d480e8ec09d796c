import { describe, expect, it } from 'vitest';
import { ENDPOINT_IDS, endpoint } from '../../../src/contract/endpoints.js';
import { bodyOf, OPERATION, sendingAs, SERVICE } from './given.js';

describe('the kind of a request', () => {
  it('is known of every row of the table', () => {
    const kinds = ENDPOINT_IDS.map((id) => {
      const { method, path } = endpoint(id);
      const { kind, direction } = sendingAs(`${method} ${path.replace('{id}', OPERATION)}`);
      return direction === null ? [id, kind] : [id, kind, direction];
    });
    expect(kinds.map((kind) => kind.join(' '))).toEqual([
      ...['capabilities read', 'methods read', 'banks read', 'balances read'],
      ...['payins.create create payins', 'payins.get read payins', 'payins.confirm act payins'],
      ...['payins.resend act payins', 'payins.cancel cancel payins', 'payouts.create create payouts'],
      ...['payouts.get read payouts', 'payouts.cancel cancel payouts', 'transactions.get read'],
      ...['events.list read', 'webhooks.register webhooks'],
    ]);
  });

  it.each([
    '/v2//payouts',
    '/v2/payouts/',
    '/v2/%70ayouts',
    '/v2/payouts;a=1',
    '/v2/Payouts',
    '/v2/payouts%2f',
    '/v2/payouts%00',
    '/v2/payouts/../payouts',
    '/v2/payouts\\..\\payouts',
    '/v2/./payouts',
    '//v2/payouts',
    '/v2/%2570ayouts',
    '/v2/payouts/x/cancel',
    `/v2/payouts/${OPERATION}/confirm`,
    `/v2/payouts/${OPERATION}/cancel/`,
    '/v2/payouts#x',
    '/v3/payouts',
    'https://api.example.com.evil.example/v2/payouts',
  ])('POST %s is no row', (path) => expect(sendingAs(`POST ${path}`).kind).toBe('other'));

  it('is the same with a query, and in small letters', () => {
    expect(sendingAs('POST /v2/payouts?x=1')).toEqual(sendingAs('POST /v2/payouts'));
    expect(sendingAs('post /v2/payouts')).toEqual(sendingAs('POST /v2/payouts'));
  });

  it('takes a create of nothing, with a reference of ours, for a question', () => {
    const body = JSON.stringify({ amount: '0', reference: 'svc-probe-1' });
    expect(sendingAs('POST /v2/payouts', body).kind).toBe('probe');
  });

  it.each([
    ...['{}', '{"amount":0}', '{"amount":"0"}', '{"amount":"0","reference":"svc-probe-12"}'],
    ...['{"amount":"1","reference":"svc-probe-1"}', '{"amount":"0.01"}', '{"amount":"-0"}'],
    ...['{"amount":""}', '{"amount":"0","reference":"svc-probe-1","Amount":"5"}'],
  ])('takes %s for a create', (body) => expect(sendingAs('POST /v2/payouts', body).kind).toBe('create'));
});

describe('where it goes', () => {
  it.each([
    ['https://API.example.com:443/', 'https://api.example.com'],
    ['https://api.example.com/pay/', 'https://api.example.com/pay'],
    ['https://api.example.com:8443', 'https://api.example.com:8443'],
    ['http://127.0.0.1:4010', 'http://localhost:4010'],
    ['http://[::1]:4010', 'http://localhost:4010'],
  ])('%s', (service, address) => expect(sendingAs('GET /v2/balances', '', service).address).toBe(address));

  it('is the origin of a request to another host', () => {
    expect(sendingAs('GET https://evil.example/v2/balances').address).toBe('https://evil.example');
    expect(sendingAs(`GET ${SERVICE}.evil.example/v2/balances`).address).toBe(`${SERVICE}.evil.example`);
  });
});

describe('the money of a body', () => {
  it('is what the bytes say', () => {
    expect(sendingAs('POST /v2/payouts', bodyOf({ amount: '9.50', method: 'bank' }))).toMatchObject({
      ...{ kind: 'create', amount: '9.50', currency: 'VES', method: 'bank', damage: null },
    });
  });

  it.each([
    ['{"amount":"1.00","amount":"9000.00"}', 'has amount twice'],
    ['{"amount":"1.00","\\u0061mount":"9000.00"}', 'has amount twice'],
    ['{"amount":"1.00","beneficiary":{"name":"a","name":"b"}}', 'has beneficiary.name twice'],
    ['{"amount":"1.00","list":[{"a":1,"a":2}]}', 'has list.a twice'],
    ['{"amount":"1.00","Amount":"9000.00"}', 'has a name that some read as amount'],
    ['{"CURRENCY":"USD","currency":"VES"}', 'has a name that some read as currency'],
    ['{"\uff4dethod":"a"}', 'has a name that some read as method'],
    ['\ufeff{"amount":"1.00"}', 'begins with a byte order mark'],
    ['{"amount":"1.00"} {}', 'is not JSON'],
    ['nope', 'is not JSON'],
    ['', 'is not JSON'],
    ['null', 'is not an object'],
    ['[]', 'is not an object'],
  ])('%s', (body, damage) => {
    expect(sendingAs('POST /v2/payouts', body)).toMatchObject({ kind: 'create', amount: null, damage });
  });

  it('is none where the bytes are not UTF-8, and none where it is no text', () => {
    const latin = Buffer.from('{"amount":"1.00","reference":"caf\xe9"}', 'latin1');
    expect(sendingAs('POST /v2/payouts', latin)).toMatchObject({ amount: null, damage: 'is not UTF-8' });
    expect(sendingAs('POST /v2/payouts', '{"amount":4,"currency":null,"method":["a"]}')).toMatchObject({
      ...{ amount: null, currency: null, method: null, damage: null },
    });
  });
});
