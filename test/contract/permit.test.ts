import { describe, expect, it } from 'vitest';
import { Permit, permitFor } from '../../src/contract/permit.js';
import type { HttpRequest } from '../../src/runtime/transport.js';

const REQUEST: HttpRequest = {
  method: 'POST',
  url: 'https://api.example.com/v2/payouts',
  headers: { 'idempotency-key': 'order-1001', authorization: 'Bearer svc_live_abc' },
  body: Buffer.from('{"amount":"10.00"}'),
};

it('covers the request that it was made for, and a copy of it', () => {
  const permit = permitFor(REQUEST);
  expect(Permit.covers(permit, REQUEST)).toBe(true);
  expect(Permit.covers(permit, { ...REQUEST, body: new Uint8Array(Buffer.from('{"amount":"10.00"}')) })).toBe(
    true,
  );
  expect(Permit.covers(permit, { ...REQUEST, headers: { 'Idempotency-Key': 'order-1001' } })).toBe(true);
});

describe('covers no other', () => {
  it.each<[string, Partial<HttpRequest>]>([
    ['method', { method: 'PUT' }],
    ['path', { url: 'https://api.example.com/v2/payins' }],
    ['query', { url: 'https://api.example.com/v2/payouts?a=b' }],
    ['host', { url: 'https://evil.example/v2/payouts' }],
    ['key', { headers: { 'idempotency-key': 'order-1002' } }],
    ['key, which is none', { headers: {} }],
    ['key beside it', { headers: { 'idempotency-key': 'order-1001', 'Idempotency-Key': 'order-1002' } }],
    ['body', { body: Buffer.from('{"amount":"10.01"}') }],
    ['body, which is none', { body: null }],
    ['body, which is empty', { body: new Uint8Array() }],
  ])('%s', (_what, other) => expect(Permit.covers(permitFor(REQUEST), { ...REQUEST, ...other })).toBe(false));

  it('no body where an empty one was meant', () => {
    const permit = permitFor({ ...REQUEST, body: new Uint8Array() });
    expect(Permit.covers(permit, { ...REQUEST, body: null })).toBe(false);
  });

  it('a body whose buffer was changed behind it', () => {
    const body = Buffer.from('{"amount":"10.00"}');
    const permit = permitFor({ ...REQUEST, body });
    body.write('9', 11);
    expect(Permit.covers(permit, { ...REQUEST, body })).toBe(false);
  });
});

describe('is made by its maker alone', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['nothing', undefined],
    ['true', true],
    ['an object that looks like one', { covers: () => true }],
    ['an object with its prototype', Object.create(Permit.prototype)],
    ['its class', Permit],
    ['a copy of one', Object.assign({}, permitFor(REQUEST))],
    ['what is behind a proxy', new Proxy(permitFor(REQUEST), {})],
  ])('%s is none', (_what, permit) => expect(Permit.covers(permit, REQUEST)).toBe(false));

  it('by no other symbol', () => {
    expect(() => new Permit(Symbol('maker'), REQUEST)).toThrow(TypeError);
    expect(JSON.stringify(permitFor(REQUEST))).toBe('{}');
  });
});
