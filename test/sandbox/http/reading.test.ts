/** What is read off a request before anything else: the host, the route, the query. */
import { describe, expect, it } from 'vitest';
import { checkHost } from '../../../src/sandbox/http/access.js';
import { compactJson } from '../../../src/sandbox/http/creates.js';
import { readQuery } from '../../../src/sandbox/http/call.js';
import { findRoute } from '../../../src/sandbox/http/endpoints.js';

/** A sentence for the log. */
const why = expect.stringMatching(/^[A-Z].*\.$/) as string;

describe('a host', () => {
  it.each(['localhost', 'LOCALHOST:4010', '127.0.0.1', '127.0.0.1:80', '127.9.9.9', '[::1]', '[::1]:4010'])(
    '%s is this machine',
    (host) => {
      expect(checkHost({ headers: [['hOsT', host]] })).toBeNull();
    },
  );

  it.each([
    'example.com',
    'localhost.example.com',
    '127.0.0.1.nip.io',
    '10.0.0.1',
    '',
    'localhost:',
    'a@localhost',
  ])('%j is not', (host) => {
    expect(checkHost({ headers: [['Host', host]] })).toMatchObject({ refusal: 'field_invalid' });
  });

  it('is named once', () => {
    expect(checkHost({ headers: [] })).toMatchObject({ refusal: 'field_required' });
    const twice = [['Host', 'localhost'] as const, ['host', 'localhost'] as const];
    expect(checkHost({ headers: twice })).toMatchObject({ refusal: 'field_invalid' });
  });
});

describe('a route', () => {
  it.each([
    ['GET', '/v2/balances', 'live', 'balances', ''],
    ['GET', '/sandbox/v2/balances', 'sandbox', 'balances', ''],
    ['GET', '/sandbox/v2/payins/a%2Fconfirm', 'sandbox', 'payins.get', 'a%2Fconfirm'],
    ['POST', '/sandbox/v2/payins/x/confirm', 'sandbox', 'payins.confirm', 'x'],
    ['POST', '/v2/payouts/x/cancel', 'live', 'payouts.cancel', 'x'],
    ['GET', '/v2/payins/..', 'live', 'payins.get', '..'],
  ])('%s %s', (method, path, environment, endpoint, id) => {
    expect(findRoute(method, path)).toEqual({ environment, endpoint, id });
  });

  it.each([
    '/',
    '',
    '/v2',
    '/v2/',
    '/v1/balances',
    '/V2/balances',
    '//v2/balances',
    '/v2//balances',
    '/v2/balances/',
    '/v2/payins/',
    '/v2/payins/x/',
    '/v2/payins/x/confirm/y',
    '/v2/payins//confirm',
    '/v2%2Fbalances',
    '/sandbox',
    '/sandbox/sandbox/v2/balances',
    '/sandboxv2/balances',
    'http://localhost/v2/balances',
    '/v2/balances#x',
    '/v2/__proto__',
    '/v2/constructor',
  ])('there is none at %j', (path) => {
    expect(findRoute('GET', path)).toEqual({ refusal: 'route_not_found', why });
  });

  it.each([
    ['POST', '/v2/balances', 'GET'],
    ['HEAD', '/v2/balances', 'GET'],
    ['OPTIONS', '/v2/payins', 'POST'],
    ['DELETE', '/v2/payins/x', 'GET'],
    ['GET', '/v2/payins/x/confirm', 'POST'],
    ['get', '/v2/balances', 'GET'],
  ])('%s is not allowed at %s', (method, path, allowed) => {
    expect(findRoute(method, path)).toEqual({
      refusal: 'method_not_allowed',
      headers: { Allow: allowed },
      why,
    });
  });
});

describe('a query', () => {
  const names = ['country', 'method'] as const;

  it.each([
    ['', {}],
    ['country=VE', { country: 'VE' }],
    ['c%6Funtry=V%45&x=1&x=2&y[]=3', { country: 'VE' }],
    ['country=', { country: '' }],
    ['country', { country: '' }],
    ['country=a+b%26c', { country: 'a b&c' }],
    ['&&country=VE&', { country: 'VE' }],
  ])('%j', (text, values) => {
    expect(readQuery(text, names)).toEqual(values);
  });

  it.each([
    ['country=VE&country=VE', ['country']],
    ['country[]=VE', ['country']],
    ['country[0]=VE&method%5B%5D=x', ['country', 'method']],
    ['country=VE&country[]=VE', ['country']],
    ['country=%', ['country']],
    ['country=%FF', ['country']],
  ])('%j is refused', (text, fields) => {
    const details = fields.map((field) => ({ field, code: 'invalid' }));
    expect(readQuery(text, names)).toEqual({ refusal: 'field_invalid', details });
  });
});

describe('compact JSON', () => {
  it('loses the space between values and nothing else', () => {
    expect(compactJson('{ "a b" :\n[ 1.10 ,\t"x \\" y" ] }\r\n')).toBe('{"a b":[1.10,"x \\" y"]}');
  });
});
