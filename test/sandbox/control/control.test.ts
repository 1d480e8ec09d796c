import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/expectations.js';
import { openWorld } from '../support/world.js';

describe('routes', () => {
  it.each(['', '/', '/x', '/clock/', '//clock', '/__proto__', '/deliveries/x/y'])(
    '/_control%s does not exist',
    async (path) => {
      const world = await openWorld();
      expectRefusal(await world.send('GET', `/_control${path}`, { key: null }), 'route_not_found');
    },
  );

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
  const method = 'incoming_transfer';
  const payment = { method, currency: 'VES', amount: '1.00', bank_code: '0102', phone: '04121234567' };
  it.each<[path: string, body: unknown, code: 'required' | 'invalid' | 'unknown', fields: string]>([
    ['/payments', { ...payment, method: 'debit_otp' }, 'invalid', 'method'],
    ['/payments', { ...payment, amount: 1 }, 'invalid', 'amount'],
    ['/payments', { ...payment, amount: '-1' }, 'invalid', 'amount'],
    ['/payments', { ...payment, amount: null }, 'required', 'amount'],
    ['/payments', { ...payment, bank_code: '' }, 'invalid', 'bank_code'],
    ['/payments', { ...payment, phone: 4 }, 'invalid', 'phone'],
    ['/payments', { ...payment, phone: undefined }, 'required', 'phone document'],
    ['/payments', { ...payment, document: { type: 'V' } }, 'required', 'document.number'],
    ['/payments', { document: { type: 'V', number: '1' }, method }, 'required', 'amount bank_code currency'],
    ['/payments', { ...payment, name: 'x' }, 'unknown', 'name'],
    ['/ping', undefined, 'invalid', 'company'],
    ['/ping', { company: 'nobody' }, 'invalid', 'company'],
    ['/reset', { all: true }, 'unknown', 'all'],
  ])('%s %j', async (path, body, code, fields) => {
    const world = await openWorld();
    const before = (await world.control('GET', '/status')).text;
    const details = fields.split(' ').map((field) => ({ field, code }));
    const refusal = code === 'required' ? 'field_required' : 'field_invalid';
    expectRefusal(await world.control('POST', path, body), refusal, details);
    expect((await world.control('GET', '/status')).text).toBe(before);
  });

  it.each(['[]', '{', '{"advance_seconds":1,"advance_seconds":2}'])('a body like %s', async (body) => {
    const world = await openWorld();
    expectRefusal(await world.control('POST', '/clock', body), 'body_invalid');
  });
});
