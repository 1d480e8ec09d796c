/** `svc sandbox key`: keys of any company, with any scopes, in either environment. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSandbox } from '../../../src/sandbox/sandbox.js';
import { serve, type Serving } from '../../../src/sandbox/server.js';
import { systemClock, systemRandom } from '../../../src/runtime/clock.js';
import { payout } from '../../support/requests.js';
import { world, type RunOptions } from '../../support/svc.js';
import '../../support/starting.js';

const home = world();
let server: Serving;
let url: string;
beforeAll(async () => {
  const sandbox = openSandbox({ store: ':memory:', clock: systemClock, random: systemRandom });
  server = await serve(sandbox, { port: 0, clock: systemClock });
  url = `http://127.0.0.1:${server.port}`;
});
afterAll(async () => {
  await server.close();
  home.remove();
});

async function key(flags: string): Promise<RunOptions> {
  const result = await home.svc(`sandbox key ${flags} --base-url ${url}`, { wire: true });
  expect(result.exitCode, result.stderr).toBe(0);
  return { env: { SVC_BASE_URL: url, SVC_API_KEY: String(result.json()['api_key']) }, wire: true };
}

it('--company keeps companies apart', async () => {
  const acme = await key('--company acme');
  const id = String((await home.svc(payout(), acme)).json()['id']);
  expect(await home.svc(`payouts get ${id}`, await key(''))).toMatchObject({ exitCode: 5 });
  expect(await home.svc(`payouts get ${id}`, await key('--company acme'))).toMatchObject({ exitCode: 0 });
});

it('says which store it belongs to, and how a key of another server is made', async () => {
  const made = await home.svc('sandbox key');
  expect(made.stderr).toBe(
    `This key belongs to the sandbox in ${home.home}/.local/share/svc/sandbox.db. ` +
      'For a key of another server, add its address: --base-url http://127.0.0.1:PORT\n',
  );
  const env = { SVC_BASE_URL: url, SVC_API_KEY: String(made.json()['api_key']) };
  expect(await home.svc('balances', { env, wire: true })).toMatchObject({ exitCode: 4 });
  expect((await home.svc('sandbox key --quiet')).stderr).toBe('');
  expect((await home.svc(`sandbox key --base-url ${url}`, { wire: true })).stderr).toBe('');
});

it('--scope is all that the key may do', async () => {
  const reader = await key('--scope operaciones:leer --scope saldos:leer');
  expect(await home.svc('balances', reader)).toMatchObject({ exitCode: 0 });
  expect(await home.svc('events list', reader)).toMatchObject({ exitCode: 0 });
  const refused = await home.svc(payout(), reader);
  expect(refused).toMatchObject({ exitCode: 4 });
  expect(refused.error()).toMatchObject({ code: 'scope_missing', status: 403 });
  expect(refused.error()['message']).toContain('payouts:crear');
});

it('--environment live rehearses everything live, beside the sandbox', async () => {
  const live = await key('--environment live');
  const id = String((await home.svc([...payout(), '--live', '--insecure-loopback'], live)).json()['id']);
  expect(await home.svc(`payouts get ${id} --live --insecure-loopback`, live)).toMatchObject({ exitCode: 0 });
  expect(await home.svc(`payouts get ${id}`, await key(''))).toMatchObject({ exitCode: 5 });
});

it('--operator: what is made with the key was made by an operator, and the company sees it', async () => {
  const operator = await key('--operator --company acme');
  const made = (await home.svc(payout(), operator)).json();
  expect(made).toMatchObject({ created_by: 'operator' });
  const read = await home.svc(`payouts get ${String(made['id'])}`, await key('--company acme'));
  expect(read.json()).toMatchObject({ created_by: 'operator' });
  const own = await home.svc(payout(), await key('--company acme'));
  expect(own.json()).toMatchObject({ created_by: 'company' });
});

it.each(['--scope everything', '--environment production'])('refuses %s', async (flags) => {
  expect(await home.svc(`sandbox key ${flags}`)).toMatchObject({ exitCode: 2, stdout: '' });
});
