import { describe, expect, it } from 'vitest';
import { compactJson } from '../../../src/sandbox/http/creates.js';
import { readQuery } from '../../../src/sandbox/http/call.js';
import { findRoute } from '../../../src/sandbox/http/endpoints.js';

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
  ])('%j', (text, values) => expect(readQuery(text, names)).toEqual(values));
});

describe('compact JSON', () => {
  it('loses the space between values and nothing else', () => {
    expect(compactJson('{ "a b" :\n[ 1.10 ,\t"x \\" y" ] }\r\n')).toBe('{"a b":[1.10,"x \\" y"]}');
  });
});
