import { describe, expect, it } from 'vitest';
import { NO_FACTS } from '../../src/contract/operation-facts.js';
import type { AttemptKind } from '../../src/contract/attempt.js';
import { listMember, readAnswer } from '../../src/client/client.js';
import { endpoint } from '../../src/contract/endpoints.js';
import type { HttpAnswer } from '../../src/runtime/transport.js';
import { answer, envelope, failedOperation, ID, NOW_MS, operation } from './doubles.js';

const read = (given: HttpAnswer, id: Parameters<typeof endpoint>[0] = 'payins.get') =>
  readAnswer(given, endpoint(id), NOW_MS);

const page = '<html>not here</html>';

describe('the kind of attempt', () => {
  it.each<[string, HttpAnswer, AttemptKind]>([
    ['an operation', answer(200, operation('confirmed')), 'success'],
    ['an operation with a status that nobody knows yet', answer(200, operation('settling')), 'success'],
    [
      'an operation with fields that nobody knows yet',
      answer(202, operation('pending', { x: [] })),
      'success',
    ],
    ['an operation without status', answer(200, { id: ID }), 'unreadable'],
    ['an operation without id', answer(201, { status: 'pending' }), 'unreadable'],
    ['an operation in an array', answer(200, [operation('pending')]), 'unreadable'],
    ['an error with status 200', envelope(200, 'not_found'), 'unreadable'],
    ['HTML with status 200', answer(200, page), 'unreadable'],
    ['an empty 200', answer(200, ''), 'unreadable'],
    ['a 204', answer(204, ''), 'unreadable'],
    ['JSON that was cut', answer(200, '{"id":"x","sta'), 'unreadable'],
    [
      'bytes that are no UTF-8',
      { status: 200, headers: [], body: Buffer.from([0x22, 0xff, 0x22]) },
      'unreadable',
    ],
    ['null', answer(200, 'null'), 'unreadable'],
    ['a 301', answer(301, ''), 'broken'],
    ['a 304', answer(304, ''), 'broken'],
    ['a 308 with an envelope', envelope(308, 'not_found'), 'broken'],
    ['a 400', envelope(400, 'field_required'), 'refused'],
    ['a 401', envelope(401, 'unauthorized'), 'refused'],
    ['a 401 of a gateway', answer(401, page), 'refused'],
    ['a 403 scope_missing', envelope(403, 'scope_missing'), 'refused'],
    ['another 403', envelope(403, 'forbidden'), 'broken'],
    ['a 403 of a gateway', answer(403, page), 'broken'],
    ['a 404', envelope(404, 'not_found'), 'refused'],
    ['an empty 404', answer(404, ''), 'refused'],
    ['a 404 that is a page', answer(404, page), 'broken'],
    ['a 409', envelope(409, 'idempotency_key_reused'), 'refused'],
    ['a 405', envelope(405, 'method_not_allowed'), 'broken'],
    ['a 413', envelope(413, 'body_invalid'), 'broken'],
    ['a 418', answer(418, page), 'broken'],
    ['a 429', envelope(429, 'slow_down'), 'unavailable'],
    ['a 429 of a gateway', answer(429, page), 'unavailable'],
    ['a 503 with the envelope', envelope(503, 'temporarily_unavailable'), 'unavailable'],
    ['a 503 of a gateway', answer(503, page), 'server_error'],
    ['a 503 with other JSON', answer(503, { error: 'busy' }), 'server_error'],
    ['a 500 with an envelope', envelope(500, 'internal'), 'server_error'],
    ['a 502', answer(502, page), 'server_error'],
    ['a 504', answer(504, ''), 'server_error'],
    ['a 999', answer(999, ''), 'unreadable'],
  ])('of %s', (_name, given, kind) => {
    const attempt = read(given);
    expect(attempt.kind).toBe(kind);
    expect('answer' in attempt && attempt.answer).toBe(given);
  });

  it.each<[string, HttpAnswer, AttemptKind]>([
    ['a listed 400', envelope(400, 'amount_out_of_range'), 'refused'],
    ['a 400 that is not listed', envelope(400, 'bad_day'), 'broken'],
    ['a listed code with another status', envelope(409, 'field_invalid'), 'broken'],
    ['a 400 that is a page', answer(400, page), 'broken'],
    ['an empty 400', answer(400, ''), 'broken'],
    ['a 400 with other JSON', answer(400, { message: 'no' }), 'broken'],
    ['a 401', envelope(401, 'unauthorized'), 'refused'],
    ['a 401 of a gateway', answer(401, page), 'refused'],
    ['a 403 scope_missing', envelope(403, 'scope_missing'), 'refused'],
    ['another 403', envelope(403, 'forbidden'), 'broken'],
    ['a 403 of a gateway', answer(403, page), 'broken'],
    ['a 404', envelope(404, 'not_found'), 'broken'],
    ['a 405', envelope(405, 'method_not_allowed'), 'broken'],
    ['a 409 reused', envelope(409, 'idempotency_key_reused'), 'refused'],
    ['another 409', envelope(409, 'not_cancellable'), 'broken'],
    ['an empty 409', answer(409, ''), 'broken'],
    ['a 422', envelope(422, 'field_invalid'), 'broken'],
    ['a 429', answer(429, page), 'unavailable'],
    ['a 503 with the envelope', envelope(503, 'temporarily_unavailable'), 'unavailable'],
    ['a 503 of a gateway', answer(503, page), 'server_error'],
  ])('of %s to a create: only what the contract lists settles it', (_name, given, kind) => {
    expect(read(given, 'payouts.create').kind).toBe(kind);
  });

  const SAID = {
    amount: '10.50',
    currency: 'VES',
    country: 'VE',
    method: 'mobile_payment',
    reference: 'r-1',
  };
  const asked = { direction: 'payout', ...SAID } as const;
  it.each<[string, object, AttemptKind]>([
    ['all of it', { type: 'payout', ...SAID }, 'success'],
    ['the amount with fewer digits', { amount: '10.5' }, 'success'],
    ['the amount as a number', { amount: 10.5 }, 'success'],
    ['another amount as a number', { amount: 10.51 }, 'mismatched'],
    ['another amount', { amount: '105.0' }, 'mismatched'],
    ['an amount that is none', { amount: 'ten' }, 'mismatched'],
    ['a currency in small letters', { currency: 'ves' }, 'success'],
    ['another currency', { currency: 'USD' }, 'mismatched'],
    ['another country', { country: 'CL' }, 'mismatched'],
    ['another method', { method: 'bank_transfer' }, 'mismatched'],
    ['the other direction', { type: 'payin' }, 'mismatched'],
    ['another reference', { reference: 'R-1' }, 'mismatched'],
    ['none of it', { reference: null, amount: null }, 'success'],
  ])('of an operation with %s to a create', (_name, said, kind) => {
    const given = answer(201, { id: ID, status: 'confirmed', ...said });
    expect(readAnswer(given, endpoint('payouts.create'), NOW_MS, asked).kind).toBe(kind);
  });

  it('of an operation with a reference that nobody sent is a success', () => {
    const given = answer(201, operation('confirmed', { reference: 'theirs' }));
    const { reference: _none, ...rest } = asked;
    expect(
      readAnswer(given, endpoint('payouts.create'), NOW_MS, {
        ...rest,
        direction: undefined,
        amount: undefined,
      }).kind,
    ).toBe('success');
  });

  it('of a row without operation asks for no more than is needed', () => {
    expect(read(answer(200, { anything: 1 }), 'capabilities').kind).toBe('success');
    expect(read(answer(200, [1]), 'capabilities').kind).toBe('unreadable');
    expect(read(answer(201, { secret: 's', new: 1 }), 'webhooks.register').kind).toBe('success');
    expect(read(answer(201, { url: 'x' }), 'webhooks.register').kind).toBe('unreadable');
    expect(read(answer(200, { balances: [] }), 'balances').kind).toBe('success');
    expect(read(answer(200, { total: 3 }), 'balances').kind).toBe('unreadable');
  });

  it('of a request that is no row is a success for any 2xx', () => {
    expect(readAnswer(answer(204, ''), null, NOW_MS).kind).toBe('success');
    expect(readAnswer(answer(200, page), null, NOW_MS).kind).toBe('success');
    expect(readAnswer(answer(404, page), null, NOW_MS).kind).toBe('broken');
  });
});

describe('an operation', () => {
  it('is read with why it failed, tolerantly', () => {
    const outcome = (body: unknown) => {
      const attempt = read(answer(200, body));
      return attempt.kind === 'success' ? attempt.operation : null;
    };
    expect(outcome(failedOperation('expired'))).toMatchObject({
      ...{ code: 'expired', failureReason: 'other', failureMessage: 'It was not to be.' },
    });
    expect(outcome(operation('failed', { failure: { code: 'new_code' } }))).toMatchObject({
      ...{ code: 'new_code', failureReason: null, failureMessage: null },
    });
    expect(outcome(operation('failed'))).toEqual({ ...NO_FACTS, id: ID, status: 'failed' });
    expect(outcome({ id: ID, status: 'pending' })).toEqual({ ...NO_FACTS, id: ID, status: 'pending' });
  });
});

describe('a list', () => {
  it.each<[string, unknown, unknown]>([
    ['by its name, among others', { other: [2], events: [1] }, [1]],
    ['as the only array', { data: [1], total: 1 }, [1]],
    ['as the body', [1], [1]],
    ['empty', { events: [] }, []],
    ['nowhere among two', { a: [1], b: [2] }, null],
    ['nowhere where its name is no array and there is no other', { events: { x: 1 } }, null],
    ['as the only array, where its name is none', { events: null, items: [1] }, [1]],
    ['nowhere in a text', 'events', null],
    ['nowhere in null', null, null],
    ['not on the prototype', JSON.parse('{"__proto__":{"events":[1]}}'), null],
  ])('is found %s', (_name, body, list) => expect(listMember(body, 'events')).toEqual(list));
});

describe('Retry-After', () => {
  const waits = (value: string): number | null | undefined => {
    const attempt = read(envelope(429, 'x', { 'Retry-After': value }));
    return 'retryAfterMs' in attempt ? attempt.retryAfterMs : undefined;
  };

  it.each<[string, number | null]>([
    ['0', 0],
    ['7', 7000],
    [' 7 ', 7000],
    ['120', 120_000],
    ['Wed, 23 Sep 2026 15:00:20 GMT', 20_000],
    ['Wednesday, 23-Sep-26 15:00:20 GMT', 20_000],
    ['Wed, 23 Sep 2026 14:00:00 GMT', 0],
    ['-5', null],
    ['1.5', null],
    ['1e3', null],
    ['soon', null],
    ['Wed, 99 Foo 2026 15:00:20 GMT', null],
    ['2026-09-23T15:00:20Z', null],
    ['', null],
  ])('%j is %s ms', (value, ms) => expect(waits(value)).toBe(ms));

  it('is null where it is absent', () => {
    expect(read(envelope(429, 'x'))).toMatchObject({ retryAfterMs: null });
  });
});
