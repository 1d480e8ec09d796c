/** The control api: what it takes, what it refuses, and that each refusal names its fields. */
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/expectations.js';
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
    ['/ping', undefined, 'field_invalid', ['company: invalid']],
    ['/ping', { company: 'nobody' }, 'field_invalid', ['company: invalid']],
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
});
