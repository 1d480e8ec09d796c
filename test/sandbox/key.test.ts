import { beforeEach, expect, it } from 'vitest';
import { payout } from '../support/requests.js';
import { ADDRESS, shakySandbox, type ShakySandbox } from '../support/shaky-sandbox.js';
import { eachWorld, watched, type RunOptions } from '../support/svc.js';

const home = eachWorld();
let service: ShakySandbox;
beforeEach(() => (service = shakySandbox(home.clock)));

async function key(flags: string, transport = service.transport): Promise<RunOptions> {
  const result = await home.svc(`sandbox key ${flags} --base-url ${ADDRESS}`, { transport });
  expect([result.exitCode, result.stderr]).toEqual([0, '']);
  return { env: { SVC_BASE_URL: ADDRESS, SVC_API_KEY: String(result.json()['api_key']) }, transport };
}

it.each([
  ['', {}],
  ['--company acme', { company: 'acme' }],
  ['--scope operaciones:leer --scope saldos:leer', { scopes: ['operaciones:leer', 'saldos:leer'] }],
  ['--environment live', { environment: 'live' }],
  ['--operator --company acme', { company: 'acme', created_by: 'operator' }],
])('%s is what the sandbox is asked for', async (flags, asked) => {
  const bodies: string[] = [];
  const transport = watched(service.transport, ({ body }) => bodies.push(Buffer.from(body ?? []).toString()));
  const options = await key(flags, transport);
  expect(JSON.parse(bodies[0]!)).toEqual(asked);
  const live = flags.includes('live') ? '--live --insecure-loopback' : '';
  expect(await home.svc(`balances ${live}`, options)).toMatchObject({ exitCode: 0 });
});

it('says which store it belongs to, and how a key of another server is made', async () => {
  const made = await home.svc('sandbox key');
  expect(made.stderr).toBe(
    `This key belongs to the sandbox in ${home.home}/.local/share/svc/sandbox.db. ` +
      'For a key of another server, add its address: --base-url http://127.0.0.1:PORT\n',
  );
  const env = { SVC_BASE_URL: ADDRESS, SVC_API_KEY: String(made.json()['api_key']) };
  expect(await home.svc('balances', { transport: service.transport, env })).toMatchObject({ exitCode: 4 });
  expect((await home.svc('sandbox key --quiet')).stderr).toBe('');
});

it('without a scope is refused, and which one is said', async () => {
  const refused = await home.svc(payout(), await key('--scope operaciones:leer --scope saldos:leer'));
  expect(refused.error()).toMatchObject({ exit_code: 4, code: 'scope_missing', status: 403 });
  expect(refused.error()['message']).toContain('payouts:crear');
});

it.each(['--scope everything', '--environment production'])('refuses %s', async (flags) => {
  expect(await home.svc(`sandbox key ${flags}`)).toMatchObject({ exitCode: 2, stdout: '' });
});
