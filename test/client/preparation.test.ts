import { describe, expect, it } from 'vitest';
import { prepare, prepareRaw, InvalidRequest } from '../../src/client/request.js';
import { systemRandom } from '../../src/runtime/clock.js';
import { ID } from './doubles.js';

const origin = { baseUrl: 'https://api.example.com', key: 'svc_test_abc', userAgent: 'svc/1' };
const from = { ...origin, random: systemRandom };

describe('a key', () => {
  it('is 32 hex characters and new each time, for a create alone', () => {
    const keys = [1, 2].map(() => prepare(from, 'payins.create', {}, undefined).idempotencyKey ?? '');
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[0]).not.toBe(keys[1]);
    expect(prepare(from, 'payins.cancel', { id: ID }, undefined).idempotencyKey).toBeNull();
    expect(prepare(from, 'balances', {}, undefined).idempotencyKey).toBeNull();
  });

  it('that was given is the one that leaves', () => {
    const prepared = prepare(from, 'payouts.create', {}, 'order-4711');
    expect(prepared.idempotencyKey).toBe('order-4711');
    expect(prepared.request.headers['idempotency-key']).toBe('order-4711');
  });
});

describe('a request by hand', () => {
  const raw = (method: string, path: string, query?: Record<string, string>) =>
    prepareRaw(from, { method, path }, query === undefined ? {} : { query }, undefined);

  it.each([
    ['get', '/v2/balances', 'balances', 'safe', null],
    ['GET', `/v2/payins/${ID}`, 'payins.get', 'safe', ID],
    ['GET', `/v2/transactions/${ID}`, 'transactions.get', 'safe', ID],
    ['POST', '/v2/payins', 'payins.create', 'keyed', null],
    ['POST', '/v2/payouts', 'payouts.create', 'keyed', null],
    ['POST', `/v2/payins/${ID}/confirm`, 'payins.confirm', 'once', ID],
    ['POST', `/v2/payins/${ID}/resend-code`, 'payins.resend', 'once', ID],
    ['POST', `/v2/payouts/${ID}/cancel`, 'payouts.cancel', 'once', ID],
    ['POST', '/v2/webhook-endpoints', 'webhooks.register', 'once', null],
    ['GET', '/v2/payins/not-a-uuid', null, 'safe', null],
    ['GET', '/v2/new-thing', null, 'safe', null],
    ['POST', '/v2/new-thing', null, 'once', null],
    ['PUT', '/v2/payouts/new-thing', null, 'once', null],
    ['GET', '/v2/payoutsx', null, 'safe', null],
    ['GET', '/v2/New%20thing;x/', null, 'safe', null],
    ['GET', `/v2/payins/${ID.toUpperCase()}`, 'payins.get', 'safe', ID.toUpperCase()],
  ] as const)('%s %s is the row %s, %s', (method, path, endpointId, retry, id) => {
    const prepared = raw(method, path);
    expect([prepared.endpointId, prepared.retry, prepared.id]).toEqual([endpointId, retry, id]);
    expect(prepared.request.url).toBe(`https://api.example.com${path}`);
    expect(prepared.request.method).toBe(method.toUpperCase());
    expect(prepared.idempotencyKey !== null).toBe(retry === 'keyed');
    expect('idempotency-key' in prepared.request.headers).toBe(retry === 'keyed');
  });

  it('keeps its query and takes more', () => {
    const { request, endpointId } = raw('GET', '/v2/events?limit=5', { cursor: 'a b' });
    expect(request.url).toBe('https://api.example.com/v2/events?limit=5&cursor=a+b');
    expect(endpointId).toBe('events.list');
  });

  it.each([
    ...['/v2/payouts/../balances', '/v2/../v1/x', '/v2/%2e%2e/%2e%2e/x', '//evil.example/v2/x'],
    ...['https://evil.example/v2/x', '/v2\\x', '/v2/x#y', '/v2/', '/v2', 'v2/balances', '/_control/reset'],
    ...['/v2/a b', ''],
  ])('to %j is refused', (path) => expect(() => raw('GET', path)).toThrow(InvalidRequest));

  it.each([
    ['/v2//payouts', '/v2/payouts'],
    ['/v2/payouts/', '/v2/payouts'],
    ['/v2/payouts//', '/v2/payouts'],
    ['/v2/%70ayouts', '/v2/payouts'],
    ['/v2/%2570ayouts', '/v2/payouts'],
    ['/v2/PayOuts', '/v2/payouts'],
    ['/v2/payouts;x', '/v2/payouts'],
    ['/v2/payouts;a=b/', '/v2/payouts'],
    ['/v2/;x/payouts', '/v2/payouts'],
    ['/v2/payouts%3Bx', '/v2/payouts'],
    ['/v2/payouts%2F', '/v2/payouts'],
    ['/v2/%2Fpayouts', '/v2/payouts'],
    ['/v2/%5Cpayouts', '/v2/payouts'],
    ['/v2/x%2F..%2Fpayouts', '/v2/payouts'],
    ['/v2/x/..;/payouts', '/v2/payouts'],
    ['/v2/.%2Fpayouts', '/v2/payouts'],
    ['/v2/%252e/payouts', '/v2/payouts'],
    ['/v2/payouts%20', '/v2/payouts'],
    ['/v2/payouts%00', '/v2/payouts'],
    ['/v2/payouts%3Fa=b', '/v2/payouts'],
    ['/v2/payouts%23a', '/v2/payouts'],
    ['/v2//payouts?a=b', '/v2/payouts'],
    [`/v2//payins/${ID}/confirm`, `/v2/payins/${ID}/confirm`],
    [`/v2/payins/${ID}/Confirm`, `/v2/payins/${ID}/confirm`],
    [`/v2/payins/${ID}%2Fcancel`, `/v2/payins/${ID}/cancel`],
    [`/v2/payins/%20${ID}/confirm/`, `/v2/payins/${ID}/confirm`],
    ['/v2/balances/', '/v2/balances'],
  ])('to %s, which a server may take for %s, is refused by whatever method', (path, plain) => {
    for (const method of ['GET', 'POST', 'PUT'])
      expect(() => raw(method, path)).toThrow(
        new RegExp(`read this path as ${plain}\\. Write that path instead`),
      );
  });

  it.each(['/v2/..%2Fpayouts', '/v2/..%2F..%2Fv2/new', '/v2/..;/v2/new', '/v2/%252e%252e/new'])(
    'to %s, which may lead out of /v2, is refused',
    (path) => expect(() => raw('POST', path)).toThrow(InvalidRequest),
  );

  it.each([
    ['PUT', '/v2/payouts', 'POST'],
    ['GET', '/v2/payouts', 'POST'],
    ['DELETE', `/v2/payins/${ID}`, 'GET'],
    ['GET', `/v2/payins/${ID}/confirm`, 'POST'],
    ['POST', '/v2/balances', 'GET'],
    ['HEAD', '/v2/balances', 'GET'],
  ])('%s %s is refused: the path takes %s', (method, path, taken) =>
    expect(() => raw(method, path)).toThrow(`${path} accepts ${taken}, not ${method}. Nothing was sent.`),
  );

  it.each(['GE T', 'CONNECT', '', 'GET\r\nX: y'])('by the method %j is refused', (method) =>
    expect(() => raw(method, '/v2/balances')).toThrow(InvalidRequest),
  );
});
