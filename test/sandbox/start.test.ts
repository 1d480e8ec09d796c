import { createServer, type AddressInfo } from 'node:net';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requestLineLog } from '../../src/sandbox/request-line.js';
import { Stopped } from '../../src/runtime/ports.js';
import { debitOtp, payout, PAYOUT_BODY } from '../support/requests.js';
import { shell } from '../support/program.js';
import { sandboxesOf, type SandboxHere } from '../support/sandbox-here.js';
import { eachWorld } from '../support/svc.js';

const home = eachWorld();
const startSandbox = sandboxesOf(home);
const start = (flags = ''): Promise<SandboxHere> => startSandbox(`--json ${flags}`);
const inMemory = (flags = ''): Promise<SandboxHere> => start(`--store :memory: ${flags}`);

it('says where it is on its first line, in one object', async () => {
  const { ready, stop } = await inMemory();
  expect(ready).toEqual({
    event: 'ready',
    base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
    sandbox_base_url: `${String(ready['base_url'])}/sandbox`,
    control_url: `${String(ready['base_url'])}/_control`,
    api_key: expect.stringMatching(/^svc_test_/) as string,
    code: '123456',
    pid: 4242,
  });
  const { exitCode, stdout, stderr } = await stop();
  expect(exitCode).toBe(143);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  const { api_key: key, sandbox_base_url: url } = ready;
  expect(stderr).toContain(`Try it: curl -H 'Authorization: Bearer ${key!}' ${url!}/v2/balances\n`);
  expect((await (await inMemory('--quiet')).stop()).stderr).not.toContain('curl');
});

it.each([
  ['123456', 9],
  ['424242', 0],
])('with --code 424242 confirming with %s ends with %i', async (code, exitCode) => {
  const { at } = await inMemory('--code 424242');
  const { id } = (await home.svc(debitOtp(), at)).json();
  expect(await home.svc(`payins confirm ${String(id)} --code ${code}`, at)).toMatchObject({ exitCode });
});

it('--settle-after leaves payouts processing', async () => {
  const { at } = await inMemory('--settle-after 3600');
  const created = (await home.svc(payout(), at)).json();
  expect(created).toMatchObject({ status: 'pending', pending_reason: 'processing' });
  await home.svc('sandbox clock advance 2h', at);
  const got = await home.svc(`payouts get ${String(created['id'])}`, at);
  expect(got.json()).toMatchObject({ status: 'confirmed' });
});

it.each([
  ['', 201],
  ['--keys-of-refused forget', 201],
  ['--keys-of-refused remember', 409],
])(
  'with "%s" a refused create that is corrected under its key is answered with %d',
  async (flags, status) => {
    const { ready } = await inMemory(flags);
    const headers = { authorization: `Bearer ${ready['api_key']!}`, 'idempotency-key': 'invoice-0007' };
    const statusOf = async (body: string): Promise<number> =>
      (await fetch(`${ready['sandbox_base_url']!}/v2/payouts`, { method: 'POST', headers, body })).status;
    expect(await statusOf(PAYOUT_BODY.replace('5.00', '0.01'))).toBe(400);
    expect(await statusOf(PAYOUT_BODY)).toBe(status);
  },
);

it.each([
  ['', 6],
  ['--allow-http-webhooks', 0],
])('with "%s" http on loopback as a webhook url ends with %i', async (flags, exitCode) => {
  const { at } = await inMemory(flags);
  const register = 'api POST /v2/webhook-endpoints -f url=http://127.0.0.1:9/hook';
  expect(await home.svc(register, at)).toMatchObject({ exitCode });
});

describe('the store', () => {
  it('is the one of the embedded sandbox unless --store names another', async () => {
    const id = String((await home.svc(payout())).json()['id']);
    const { at } = await start();
    expect((await home.svc(`payouts get ${id}`, at)).json()).toMatchObject({ id });
    expect((await home.svc('sandbox status', { wire: true })).json()).toMatchObject({ operations: 1 });
    const path = join(home.home, 'other.db');
    const other = await start(`--store ${path}`);
    expect((await home.svc('sandbox status', other.at)).json()).toMatchObject({ operations: 0 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is owned while the server runs: commands with nothing configured go through it', async () => {
    const { stop, at } = await start('--settle-after 3600');
    const beside = join(home.ports.paths.data, 'sandbox.db.server');
    expect(statSync(beside).mode & 0o777).toBe(0o600);
    // Only the server knows `--settle-after`.
    const created = (await home.svc(payout(), { wire: true })).json();
    expect(created).toMatchObject({ pending_reason: 'processing' });
    await stop();
    expect(existsSync(beside)).toBe(false);
    const { id } = created;
    expect((await home.svc(`payouts get ${String(id)}`)).json()).toMatchObject({ amount: '5.00' });
    expect(await home.svc('balances', at)).toMatchObject({ exitCode: 11 });
  });

  it('has one server: the second ends with 15', async () => {
    await start();
    const second = await home.svc('sandbox start --port 0', { wire: true });
    expect(second).toMatchObject({ exitCode: 15, stdout: '' });
  });
});

describe('what is refused', () => {
  it.each([
    ...['--port 65536', '--port x', '--code 12345', '--code abcdef', '--settle-after -1'],
    ...['--settle-after 1.5', '--keys-of-refused keep'],
  ])('%s', async (flags) => {
    const refused = await home.svc(`sandbox start --store :memory: ${flags}`);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('a port that is taken: 16, and nothing is left behind', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const result = await home.svc(`sandbox start --port ${port}`, { wire: true });
    taken.close();
    expect(result).toMatchObject({ exitCode: 16, stdout: '' });
    expect(result.error()['message']).toContain(`Port ${port}`);
    expect(existsSync(join(home.ports.paths.data, 'sandbox.db.server'))).toBe(false);
  });
});

it('tells a person at a terminal what to type: one line of it works as it stands', async () => {
  const { said, stop } = await startSandbox('--store :memory:', { tty: { stdout: true } });
  const asked = await shell(/^ *(curl .*)$/m.exec(said)![1]!, home.home);
  expect(JSON.parse(asked.stdout)).toEqual({ balances: expect.any(Array) as unknown });
  const { stdout, stderr } = await stop();
  expect(stderr).toContain('Stopped by SIGTERM. The sandbox has stopped.\n');
  expect(stderr).not.toMatch(/Nothing was sent|Error/);
  expect(stdout).toMatch(/export SVC_BASE_URL=http:.*\n.*export SVC_API_KEY=svc_test_/);
  const prose = stdout.split('\n').filter((line) => !line.includes('curl'));
  for (const line of prose) expect(line.length).toBeLessThanOrEqual(80);
});

describe('each request', () => {
  const lines = async ({ stop }: SandboxHere): Promise<string[]> =>
    (await stop()).stderr.split('\n').filter((line) => / ms( live)?$/.test(line));

  it('is a line on standard error: when, what, how it ended, and how long it took', async () => {
    const started = await inMemory();
    const { at, ready } = started;
    await home.svc(debitOtp(), at);
    await home.svc('sandbox fault --route balances --kind drop-before', at);
    await fetch(`${ready['sandbox_base_url']!}/v2/balances?key=svc_test_secret`).catch(() => null);
    await fetch(`${ready['base_url']!}/v2/balances?key=svc_test_secret`);
    const said = await lines(started);
    expect(said).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^\d\d:\d\d:\d\d POST \/v2\/payins 201 \d+ ms$/),
        expect.stringMatching(/ GET \/v2\/balances cut \d+ ms$/),
        expect.stringMatching(/ GET \/v2\/balances 401 \d+ ms live$/),
      ]),
    );
    expect(said.join('\n')).not.toMatch(/secret|\/_control\/owner/);
  });

  it('is none with --quiet', async () => {
    const started = await inMemory('--quiet');
    await home.svc('balances', started.at);
    expect(await lines(started)).toEqual([]);
  });

  it('costs no memory where nobody reads', async () => {
    const written: string[] = [];
    const { promise, resolve: read } = Promise.withResolvers<undefined>();
    const write = async (text: string | Uint8Array): Promise<void> => {
      written.push(String(text));
      await promise;
    };
    const log = requestLineLog({ ...home.ports, errors: { ...home.ports.errors, write } });
    const served = { method: 'GET', target: '/sandbox/v2/balances', status: 200, tookMs: 1 };
    for (let count = 0; count < 5000; count += 1) log(served);
    read(undefined);
    await expect.poll(() => written.length).toBe(2);
    expect(written.join('').split('\n')).toHaveLength(1 + 1000 + 1 + 1);
    expect(written[1]).toContain('(3999 requests more)');
  });
});

it.each([
  ['events tail', 143],
  ['sandbox requests --follow', 11],
])('%s sends nothing to who took the port of a server that was killed', async (line, exitCode) => {
  await home.svc(payout());
  const server = await start();
  const port = Number(new URL(server.ready['base_url']!).port);
  const controller = new AbortController();
  let heard = '';
  const thief = createServer((socket) => {
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      socket.destroy();
      if (heard.split('GET ').length > 3) controller.abort(new Stopped('SIGTERM', 143));
    });
    socket.on('error', () => undefined);
  });
  const theft = { isTaken: false };
  const take = (): void => {
    if (theft.isTaken) return;
    theft.isTaken = true;
    const file = join(home.home, '.local/share/svc/sandbox.db.server');
    const announced = readFileSync(file);
    void server.stop().then(() => {
      writeFileSync(file, announced, { mode: 0o600 });
      thief.listen(port, '127.0.0.1');
    });
  };
  const followed = home.svc(line, { signal: controller.signal, wire: true, onData: take });
  while (line.includes('requests') && !theft.isTaken) await home.svc('balances', { wire: true });
  const { exitCode: ended, stderr } = await followed;
  expect(ended, stderr).toBe(exitCode);
  thief.close();
  expect(heard).toMatch(/^(GET \/_control\/owner|$)/);
  expect(heard).not.toMatch(/Bearer|\/v2|\/requests/);
});
