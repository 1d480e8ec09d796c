import { describe, expect, it } from 'vitest';
import { ALL_SCOPES, NOBODY, ROWS, type Row } from '../support/endpoints.js';
import { expectRefusal } from '../support/expectations.js';
import type { Header, Reply } from '../support/exchange.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';
import type { World } from '../support/world.js';

aWorldForEachTest();

const target = ({ path }: Row): string => `/sandbox${path.replace('{id}', NOBODY)}`;

async function keyWith(world: World, scopes?: readonly string[], environment = 'sandbox'): Promise<string> {
  const body = { company: 'default', environment, ...(scopes === undefined ? {} : { scopes }) };
  const reply = await world.control('POST', '/keys', body);
  expect(reply.status).toBe(200);
  return reply.json.api_key;
}

describe.each(ROWS)('$method $path', (row) => {
  const call = (world: World, key: string | null, headers: readonly Header[] = []): Promise<Reply> =>
    world.send(row.method, target(row), { key, headers });

  const bad: readonly (readonly [name: string, headers: (key: string) => readonly Header[]])[] = [
    ['none', () => []],
    ['an empty one', () => [['Authorization', '']]],
    ['Basic', (key) => [['Authorization', `Basic ${Buffer.from(key).toString('base64')}`]]],
    ['Basic with the key', (key) => [['Authorization', `Basic ${key}`]]],
    ['the key alone', (key) => [['Authorization', key]]],
    ['Bearer alone', () => [['Authorization', 'Bearer']]],
    ['Bearer and a space', () => [['Authorization', 'Bearer ']]],
    ['two spaces', (key) => [['Authorization', `Bearer  ${key}`]]],
    ['no space', (key) => [['Authorization', `Bearer${key}`]]],
    ['something after the key', (key) => [['Authorization', `Bearer ${key} x`]]],
    ['the key twice in one header', (key) => [['Authorization', `Bearer ${key}, Bearer ${key}`]]],
    ['an unknown key', () => [['Authorization', 'Bearer svc_test_0000000000000000']]],
    ['a cut key', (key) => [['Authorization', `Bearer ${key.slice(0, -1)}`]]],
    ['a longer key', (key) => [['Authorization', `Bearer ${key}0`]]],
    ['a key in another case', (key) => [['Authorization', `Bearer ${key.toUpperCase()}`]]],
    ['a quoted key', (key) => [['Authorization', `Bearer "${key}"`]]],
    [
      'two headers',
      (key) => [
        ['Authorization', `Bearer ${key}`],
        ['authorization', `Bearer ${key}`],
      ],
    ],
    [
      'two headers that differ',
      (key) => [
        ['Authorization', `Bearer ${key}`],
        ['Authorization', 'Bearer x'],
      ],
    ],
  ];
  it.each(bad)('is unauthorized with %s', async (_name, headers) => {
    expectRefusal(await call(world, null, headers(world.key)), 'unauthorized');
  });

  it('is unauthorized with a live key', async () => {
    expectRefusal(await call(world, await keyWith(world, undefined, 'live')), 'unauthorized');
  });

  it.each(['Bearer', 'bearer', 'BEARER'])(
    'reads the word %s in any case, and the header name too',
    async (word) => {
      const reply = await call(world, null, [['aUTHORIZATION', `${word} ${world.key}`]]);
      expect([401, 403]).not.toContain(reply.status);
    },
  );

  it.each([[], ...ALL_SCOPES.map((scope) => [scope])])(
    'with %s is allowed only where that is its scope',
    async (...scopes) => {
      const reply = await call(world, await keyWith(world, scopes));
      if (row.scope === null || scopes.includes(row.scope)) expect([401, 403]).not.toContain(reply.status);
      else expectRefusal(reply, 'scope_missing');
    },
  );

  it('is refused with every scope but its own', async () => {
    const others = ALL_SCOPES.filter((scope) => scope !== row.scope);
    const reply = await call(world, await keyWith(world, others));
    if (row.scope === null) expect(reply.status).toBe(200);
    else expectRefusal(reply, 'scope_missing');
  });
});
