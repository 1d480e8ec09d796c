import { describe, expect, it } from 'vitest';
import { create, validBody } from '../support/bodies.js';
import { expectEnvelope, expectInvalid, expectRefusal, expectUnknown } from '../support/expectations.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';

aWorldForEachTest();

const NO_OBJECTS: readonly (readonly [name: string, body: string | Uint8Array])[] = [
  ['nothing', ''],
  ['spaces', ' \n\t'],
  ['null', 'null'],
  ['true', 'true'],
  ['a number', '1'],
  ['a string', '"x"'],
  ['an array', '[]'],
  ['an array of objects', '[{}]'],
  ['two objects', '{}{}'],
  ['a cut object', '{"amount":"1.00"'],
  ['a trailing comma', '{"amount":"1.00",}'],
  ['a comment', '{/* */}'],
  ['single quotes', "{'amount':'1.00'}"],
  ['NaN', '{"amount":NaN}'],
  ['a leading zero', '{"expires_in_hours":01}'],
  ['a raw line break in a string', '{"reference":"a\nb"}'],
  ['a form', 'amount=1.00&country=VE'],
  ['XML', '<a/>'],
  ['a NUL', '\u0000'],
  ['a BOM alone', '\ufeff'],
  ['a BOM before an object', '\ufeff{}'],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])],
  ['a cut UTF-8 character', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xe2, 0x82, 0x22, 0x7d])],
  ['an encoded surrogate', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d])],
  ['UTF-16', Buffer.from('{}', 'utf16le')],
  ['arrays 100,000 deep', '['.repeat(100_000)],
  ['closed arrays 100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['objects 100,000 deep', '{"a":'.repeat(100_000)],
  ['duplicate keys', '{"amount":"1.00","amount":"1.00"}'],
  ['duplicate keys, one escaped', '{"amount":"1.00","\\u0061mount":"2.00"}'],
  ['duplicate nested keys', '{"payer":{"phone":"1","phone":"2"}}'],
  ['duplicate keys in metadata', '{"metadata":{"a":{"b":1,"b":2}}}'],
];

describe.each(['/v2/payins', '/v2/payouts'])('POST %s', (path) => {
  it.each(NO_OBJECTS)('with %s as its body is body_invalid', async (_name, body) => {
    expectRefusal(await world.post(path, body, { idempotencyKey: 'a-key-of-mine' }), 'body_invalid');
  });
});

describe.each(['confirm', 'webhook'])('%s', (what) => {
  it.each(NO_OBJECTS)('with %s as its body is body_invalid', async (_name, body) => {
    const { id } = (await create(world, 'debit_otp')).json;
    const path = what === 'webhook' ? '/v2/webhook-endpoints' : `/v2/payins/${id}/confirm`;
    expectRefusal(await world.post(path, body), 'body_invalid');
  });
});

describe.each(['resend-code', 'cancel'])('POST .../%s', (action) => {
  it.each(['[]', 'true', '0', '""', '{', '{}{}', '\ufeff{}'])(
    'with the body %j is body_invalid',
    async (body) => {
      const { id } = (await create(world, action === 'cancel' ? 'incoming_transfer' : 'debit_otp')).json;
      expectRefusal(await world.post(`/v2/payins/${id}/${action}`, body), 'body_invalid');
    },
  );

  it.each(['', 'null', '{}', ' {} ', ' null\n'])('with the body %j is carried out', async (body) => {
    const { id } = (await create(world, action === 'cancel' ? 'incoming_transfer' : 'debit_otp')).json;
    expect((await world.post(`/v2/payins/${id}/${action}`, body)).status).toBe(200);
  });
});

describe('names that mean something to JavaScript', () => {
  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    '%s is an unknown field like any other',
    async (name) => {
      const text = JSON.stringify(await validBody(world, 'bank_transfer'));
      const before = Reflect.ownKeys(Object.prototype);
      const nested = text.replace('"beneficiary":{', `"beneficiary":{"${name}":{"polluted":1},`);
      const top = `${text.slice(0, -1)},"${name}":{"polluted":1}}`;
      expectUnknown(await world.post('/v2/payouts', top, { idempotencyKey: 'key-number-1' }), name);
      expectUnknown(
        await world.post('/v2/payouts', nested, { idempotencyKey: 'key-number-2' }),
        `beneficiary.${name}`,
      );
      expect(Reflect.ownKeys(Object.prototype)).toEqual(before);
    },
  );

  it('stay in metadata as they were sent', async () => {
    const text = JSON.stringify(await validBody(world, 'bank_transfer'));
    const metadata = '{"__proto__":{"a":1},"constructor":2}';
    const body = `${text.slice(0, -1)},"metadata":${metadata}}`;
    const reply = await world.post('/v2/payouts', body, { idempotencyKey: 'a-key-of-mine' });
    expect(reply.status).toBe(201);
    expect(reply.text.replaceAll(/\s/g, '')).toContain(metadata);
    expect(({} as { a?: number }).a).toBeUndefined();
  });
});

describe('deep metadata', () => {
  it.each([1, 10, 500])('%i levels come back or are refused, with no defect', async (depth) => {
    const text = JSON.stringify(await validBody(world, 'bank_transfer'));
    const metadata = '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
    const reply = await world.post('/v2/payouts', `${text.slice(0, -1)},"metadata":${metadata}}`, {
      idempotencyKey: 'a-key-of-mine',
    });
    expect([201, 400]).toContain(reply.status);
    if (reply.status === 201) expect(reply.text).toContain(metadata);
    else expectEnvelope(reply);
  });
});

describe('text that is costly to read', () => {
  const LONG = 200_000;
  it.each([
    ['zeros inside a number', `1${'0'.repeat(LONG)}1`],
    ['zeros inside a fraction', `0.${'0'.repeat(LONG)}1`],
    ['nines in an exponent', `1e${'9'.repeat(LONG)}`],
    ['backslashes', `"${'\\\\'.repeat(LONG)}"`],
    ['escaped quotes', `"${'\\"'.repeat(LONG)}"`],
    ['empty arrays', `[${'[],'.repeat(LONG)}[]]`],
    ['names', `{${Array.from({ length: 50_000 }, (_, at) => `"n${String(at)}":0`).join(',')}}`],
  ])('such as %s is answered in a moment', async (_what, value) => {
    const text = JSON.stringify(await validBody(world, 'bank_transfer'));
    const reply = await world.post('/v2/payouts', `${text.slice(0, -1)},"metadata":{"a":${value}}}`, {
      idempotencyKey: 'a-key-of-mine',
    });
    expectInvalid(reply, 'metadata');
  });
});

describe('headers', () => {
  it('may lack a Content-Type or have another one', async () => {
    const body = await validBody(world, 'bank_transfer');
    for (const type of ['application/json; charset=utf-8', 'text/plain', '']) {
      const headers = [
        ['Host', 'localhost'],
        ['Authorization', `Bearer ${world.key}`],
        ['Idempotency-Key', world.freshKey()],
        ...(type === '' ? [] : [['Content-Type', type]]),
      ] as [string, string][];
      const reply = await world.send('POST', '/sandbox/v2/payouts', {
        ...{ key: null, headers, body: Buffer.from(JSON.stringify(body)) },
      });
      expect([type, reply.status]).toEqual([type, 201]);
    }
  });

  it.each([
    ...['evil.example', 'evil.example:4010', '10.0.0.1', '127.0.0.1.evil.example', 'localhost.evil.example'],
    '',
  ])('with Host "%s" are a 400: no name of another machine leads here', async (host) => {
    const reply = await world.get('/v2/balances', { headers: [['Host', host]] });
    expect(reply.status).toBe(400);
    expectEnvelope(reply);
  });

  it.each(['127.0.0.1', '127.0.0.1:4010', 'localhost', 'localhost:80', 'LOCALHOST', '[::1]:4010'])(
    'with Host %s are served',
    async (host) => expect((await world.get('/v2/balances', { headers: [['Host', host]] })).status).toBe(200),
  );

  it('with a foreign Host do not reach the control routes either', async () => {
    const reply = await world.send('POST', '/_control/reset', {
      key: null,
      headers: [['Host', 'evil.example']],
    });
    expect(reply.status).toBe(400);
  });
});
