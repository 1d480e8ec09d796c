import { describe, expect, it } from 'vitest';
import { create } from '../support/bodies.js';
import { NOBODY, ROWS } from '../support/endpoints.js';
import { expectEnvelope, expectRefusal } from '../support/expectations.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';
import type { World } from '../support/world.js';

aWorldForEachTest();

const NO_ROUTES = [
  ...['/', '', '/v2', '/v2/', '/v1/balances', '/v3/balances', '/v2/balances/', '/v2//balances'],
  ...['//v2/balances', '/V2/balances', '/v2/Balances', '/v2/balance', '/v2/payins/', `/v2/payins/${NOBODY}/`],
  ...[`/v2/payins/${NOBODY}/confirm/`, `/v2/payins/${NOBODY}/refund`, `/v2/payouts/${NOBODY}/confirm`],
  ...[
    `/v2/transactions`,
    '/v2/transactions/',
    '/v2/webhook-endpoints/1',
    `/v2/transactions/${NOBODY}/cancel`,
  ],
  ...['/v2/balances%00', '/v2/balances%2F', '/v2%2Fbalances', '/v2/./balances', '/v2/x/../balances'],
  ...['/v2/balances;x=1', '/v2/__proto__', '/v2/constructor', '/_control/clock', `/v2/payins/${NOBODY}/a/b`],
];

describe.each(['with the key', 'without a key'])('%s', (how) => {
  const keyOf = (world: World): string | null => (how === 'with the key' ? world.key : null);

  it.each(NO_ROUTES)('GET %s is route_not_found', async (path) => {
    expectRefusal(await world.get(path, { key: keyOf(world) }), 'route_not_found');
  });

  it.each([
    ...['/', '/nowhere', '/sandbox', '/sandbox/', '/sandboxv2/balances', '/Sandbox/v2/balances'],
    ...['/sandbox/sandbox/v2/balances', '/_control', '/_control/nothing'],
  ])('GET %s on the server itself is route_not_found', async (target) => {
    expectRefusal(await world.send('GET', target, { key: keyOf(world) }), 'route_not_found');
  });

  const wrong = ROWS.flatMap((row) =>
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']
      .filter((method) => !ROWS.some((one) => one.path === row.path && one.method === method))
      .map((method) => ({ ...row, wrong: method })),
  );
  it.each(wrong)('$wrong $path is method_not_allowed', async ({ path, method, wrong: other }) => {
    const target = `/sandbox${path.replace('{id}', NOBODY)}`;
    const reply = await world.send(other, target, { key: keyOf(world) });
    expectRefusal(reply, 'method_not_allowed');
    expect(reply.headers['allow']?.split(/, */)).toContain(method);
    expect(reply.headers['allow']?.split(/, */)).not.toContain(other);
  });
});

const ID_ROUTES = ROWS.filter(({ path }) => path.includes('{id}'));
const IDS = [
  NOBODY,
  NOBODY.toUpperCase(),
  ...['x', '1', '%00', '%2F', '..%2Fbalances', `${NOBODY}%2Fcancel`, '%', '%zz', '%C3%28', '__proto__'],
  `${NOBODY} `.replace(' ', '%20'),
  `{${NOBODY}}`,
  NOBODY.replaceAll('-', ''),
  'x'.repeat(2000),
  "'%20or%201=1--",
];

describe.each(ID_ROUTES)('$method $path', ({ method, path }) => {
  const kindOfPayin = path.endsWith('cancel') ? 'incoming_transfer' : 'debit_otp';
  const kind = path.includes('payouts') ? 'bank_transfer' : kindOfPayin;
  const body = path.endsWith('confirm') ? { code: '123456' } : undefined;

  it.each(IDS)('with id %s is not_found', async (id) => {
    const reply = await world.send(method, `/sandbox${path.replace('{id}', id)}`, { body });
    expectRefusal(reply, 'not_found');
  });

  it('with an operation of another company is not_found, and leaves it alone', async () => {
    const { api_key: key } = (await world.control('POST', '/keys', { company: 'other' })).json;
    const document = kind === 'bank_transfer' ? '00000002' : '12345678';
    const made = (await create(world, kind, { document, idempotencyKey: 'the-same-key' })).json;
    const reply = await world.send(method, `/sandbox${path.replace('{id}', made.id)}`, { key, body });
    expectRefusal(reply, 'not_found');
    expect((await create(world, kind, { document, idempotencyKey: 'the-same-key' })).json).toEqual(made);
  });

  it('with an operation of its own is found', async () => {
    const made = (await create(world, kind, { document: '00000002' })).json;
    const reply = await world.send(method, `/sandbox${path.replace('{id}', made.id)}`, { body });
    expect([reply.status, reply.json.id]).toEqual([200, made.id]);
  });
});

describe('an operation of the other type', () => {
  it.each([
    ['GET', 'payins', '', 'bank_transfer'],
    ['POST', 'payins', '/confirm', 'bank_transfer'],
    ['POST', 'payins', '/resend-code', 'bank_transfer'],
    ['POST', 'payins', '/cancel', 'bank_transfer'],
    ['GET', 'payouts', '', 'debit_otp'],
    ['POST', 'payouts', '/cancel', 'incoming_transfer'],
  ])('%s /v2/%s/{id}%s with the id of a %s is not_found', async (method, topic, action, kind) => {
    const made = (await create(world, kind, { document: '00000002' })).json;
    const body = action === '/confirm' ? { code: '123456' } : undefined;
    const reply = await world.send(method, `/sandbox/v2/${topic}/${made.id}${action}`, { body });
    expectRefusal(reply, 'not_found');
    expectEnvelope(reply);
  });
});
