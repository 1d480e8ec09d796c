import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildRequest, InvalidRequest } from '../../src/client/request.js';
import { endpoint, ENDPOINT_IDS } from '../../src/contract/endpoints.js';
import { ID } from './doubles.js';

const origin = { baseUrl: 'https://api.example.com/sandbox', key: 'svc_test_abc', userAgent: 'svc/1.2.3' };
const text = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : Buffer.from(bytes).toString();

describe('the request of a row', () => {
  it('of a read carries the key, asks for unencoded JSON, and has no body', () => {
    const query = { country: 'VE', method: undefined };
    expect(buildRequest('banks', { query }, origin, null)).toEqual({
      method: 'GET',
      url: 'https://api.example.com/sandbox/v2/banks?country=VE',
      headers: {
        ...{ accept: 'application/json', 'accept-encoding': 'identity' },
        ...{ authorization: 'Bearer svc_test_abc', 'cache-control': 'no-cache', 'user-agent': 'svc/1.2.3' },
      },
      body: null,
    });
  });

  it('of a create carries the idempotency key and exactly the bytes that were given', () => {
    const body = Buffer.from('{ "amount": "1.10",\n "n": 1.0 }');
    const request = buildRequest('payouts.create', { body }, origin, 'key-12345');
    expect(request.headers).toMatchObject({
      'idempotency-key': 'key-12345',
      'content-type': 'application/json',
    });
    expect(request.body).toBe(body);
    expect(request.url).toBe('https://api.example.com/sandbox/v2/payouts');
  });

  it.each(['payins.resend', 'payins.cancel', 'payouts.cancel'] as const)(
    'of %s sends an empty object',
    (id) => {
      const request = buildRequest(id, { id: ID }, origin, null);
      expect(text(request.body)).toBe('{}');
      expect(request.headers['content-type']).toBe('application/json');
      expect(request.headers).not.toHaveProperty('idempotency-key');
    },
  );

  it('takes a base address with or without a slash at its end', () => {
    const at = (baseUrl: string): string => buildRequest('balances', {}, { ...origin, baseUrl }, null).url;
    expect(at('http://127.0.0.1:4010/sandbox/')).toBe('http://127.0.0.1:4010/sandbox/v2/balances');
    expect(at('http://127.0.0.1:4010')).toBe('http://127.0.0.1:4010/v2/balances');
  });

  it('encodes a cursor whatever is in it', () => {
    const { url } = buildRequest('events.list', { query: { cursor: 'a&limit=1#é+/ ' } }, origin, null);
    expect(new URL(url).searchParams.getAll('cursor')).toEqual(['a&limit=1#é+/ ']);
    expect(new URL(url).searchParams.has('limit')).toBe(false);
  });

  it('has every header name in lower case, in every row', () => {
    for (const id of ENDPOINT_IDS) {
      const { headers, method } = buildRequest(id, { id: ID }, origin, null);
      expect(Object.keys(headers)).toEqual(Object.keys(headers).map((name) => name.toLowerCase()));
      expect(method).toBe(endpoint(id).method);
    }
  });
});

describe('an id', () => {
  it.each(['', '../balances', `${ID}/../../balances`, `${ID}?x`, `${ID}\n`, '%2e%2e', 'abc', '$&'])(
    'that is no uuid never becomes a path: %j',
    (id) => expect(() => buildRequest('payouts.get', { id }, origin, null)).toThrow(InvalidRequest),
  );

  it('is needed where the path has one', () => {
    expect(() => buildRequest('payins.confirm', {}, origin, null)).toThrow(InvalidRequest);
  });

  it('stands in its place and nowhere else, for any uuid in either case', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.boolean(), (uuid, upper) => {
        const id = upper ? uuid.toUpperCase() : uuid;
        expect(buildRequest('payins.confirm', { id }, origin, null).url).toBe(
          `https://api.example.com/sandbox/v2/payins/${id}/confirm`,
        );
      }),
    );
  });
});

describe('an idempotency key', () => {
  it.each(['short12', 'k'.repeat(129), 'with trailing space ', 'line\nbreak1', 'ñandú-ñandú'])(
    'like %j is refused',
    (key) => expect(() => buildRequest('payins.create', {}, origin, key)).toThrow(InvalidRequest),
  );

  it.each(['k'.repeat(8), 'k'.repeat(128)])('of 8 to 128 characters is sent as it is', (key) =>
    expect(buildRequest('payins.create', {}, origin, key).headers['idempotency-key']).toBe(key),
  );
});
