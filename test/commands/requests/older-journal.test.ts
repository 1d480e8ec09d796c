/** Requests that an earlier version left open: this one lists, repeats and refuses them like its own. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { openSandbox } from '../../../src/sandbox/sandbox.js';
import { sandboxTransport } from '../../../src/sandbox/transport.js';
import { systemRandom } from '../../../src/runtime/random.js';
import { GOLDEN_END_MS, putGolden } from '../../support/golden-stores.js';
import { world, type Result, type World } from '../../support/svc.js';

interface Old {
  readonly home: World;
  readonly svc: (words: readonly string[], more?: Record<string, string>) => Promise<Result>;
  readonly posts: () => number;
}

/** The service and the journal as version 1 left them, at the same moment. */
function old(): Old {
  const home = world(new Date(GOLDEN_END_MS).toISOString());
  const { state } = home.ports.paths;
  mkdirSync(state, { recursive: true, mode: 0o700 });
  putGolden('requests-1', join(state, 'requests.db'));
  const store = putGolden('sandbox-1', join(home.home, 'service.db'));
  const sandbox = openSandbox({ store, clock: home.clock, random: systemRandom });
  onTestFinished(() => {
    sandbox.close();
    home.remove();
  });
  const line = sandboxTransport(sandbox, home.clock);
  let posts = 0;
  const env = { SVC_BASE_URL: addressIn(join(state, 'requests.db')), SVC_API_KEY: sandbox.apiKey };
  return {
    home,
    posts: () => posts,
    svc: (words, more = {}) =>
      home.svc(words, {
        env: { ...env, ...more },
        transport: (request, options) => {
          if (request.method === 'POST') posts += 1;
          return line(request, options);
        },
      }),
  };
}

/** Where the requests in the file went, without what a command appends to it. */
function addressIn(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare('SELECT address FROM intents').get() as { address: string };
  database.close();
  return row.address.replace(/\/sandbox$/, '');
}

it('are listed, and repeated with their key and bytes: what the service made of them is found', async () => {
  const { svc } = old();
  const { requests } = (await svc(['requests', 'list'])).json() as { requests: Record<string, unknown>[] };
  expect(requests).toMatchObject([
    { idempotency_key: 'own-key-0001', endpoint: 'payouts.create' },
    { idempotency_key: 'own-key-0002' },
  ]);
  for (const [key, id] of [
    ['own-key-0001', 'f4387f23-9361-4ef3-98f0-0140b5b1b328'],
    ['own-key-0002', 'bc40c5e8-38e1-4dfb-ade6-f24743c3d8e5'],
  ] as const) {
    const repeated = await svc(['requests', 'repeat', '--', key]);
    expect(repeated.stderr).toContain(`Idempotency-Key: ${key}\n`);
    expect(repeated.json()['id'], repeated.stderr).toBe(id);
  }
  expect((await svc(['requests', 'list'])).json()).toEqual({ requests: [] });
});

it('stand in the way of an equal create, whatever its key', async () => {
  const { svc, posts } = old();
  const { body } = (await svc(['requests', 'show', 'own-key-0001'])).json();
  const data = ['--data', JSON.stringify(body)];
  const refused = await svc(['api', 'POST', '/v2/payouts', ...data]);
  expect(refused.error()).toMatchObject({
    exit_code: 13,
    code: 'reference_open',
    next_command: 'svc requests repeat -- own-key-0001',
  });
  expect(posts()).toBe(0);
});

it('whose API key is known by its mask alone are repeated with that key, and with no other unasked', async () => {
  const { svc, posts } = old();
  const refused = await svc(['requests', 'repeat', 'own-key-0001'], {
    SVC_API_KEY: 'svc_test_0123456789abcdef',
  });
  expect(refused.error()).toMatchObject({ exit_code: 13, code: 'company_unknown' });
  expect(posts()).toBe(0);
});

it('are too old after 23 hours, as they were', async () => {
  const { home, svc, posts } = old();
  home.clock.advance(23 * 3_600_000);
  expect((await svc(['requests', 'repeat', 'own-key-0001'])).error()).toMatchObject({
    exit_code: 13,
    code: 'too_old',
  });
  expect(posts()).toBe(0);
});
