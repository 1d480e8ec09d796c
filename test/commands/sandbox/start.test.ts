/** `svc sandbox start`: the ready line, the flags, who owns the store, and how it ends. */
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestLog } from '../../../src/commands/sandbox/request-log.js';
import { Stopped } from '../../../src/runtime/ports.js';
import { debitOtp, payout } from '../../support/requests.js';
import { shell } from '../../support/program.js';
import { world, type Result, type World } from '../../support/svc.js';

let home: World;
let stopping: (() => Promise<Result>)[] = [];
beforeEach(() => {
  home = world();
});
afterEach(async () => {
  await Promise.all(stopping.map((stop) => stop()));
  stopping = [];
  home.remove();
});

interface Started {
  readonly ready: Record<string, unknown>;
  readonly env: Record<string, string>;
  stop(): Promise<Result>;
}

/** Starts it in this process; it ends as on SIGTERM. */
async function start(flags = '', where = home): Promise<Started> {
  const controller = new AbortController();
  let said: (line: string) => void = () => undefined;
  const first = new Promise<string>((resolve) => (said = resolve));
  const options = { signal: controller.signal, onData: (text: string) => said(text), wire: true };
  const ended = where.svc(`sandbox start --port 0 --json ${flags}`, options);
  const line = await Promise.race([first, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  const ready = JSON.parse(line) as Record<string, unknown>;
  const stop = (): Promise<Result> => {
    controller.abort(new Stopped('SIGTERM', 143));
    return ended;
  };
  stopping.push(stop);
  return {
    ready,
    stop,
    env: { SVC_BASE_URL: String(ready['base_url']), SVC_API_KEY: String(ready['api_key']) },
  };
}

it('says where it is on its first line, in one object', async () => {
  const { ready, stop } = await start('--store :memory:');
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
  expect(stderr).toContain(
    `Try it: curl -H 'Authorization: Bearer ${String(key)}' ${String(url)}/v2/balances\n`,
  );
  const quiet = await start('--store :memory: --quiet');
  expect((await quiet.stop()).stderr).not.toContain('curl');
});

it('--code is the one valid code', async () => {
  const { env } = await start('--store :memory: --code 424242');
  for (const [code, exit] of [
    ['123456', 9],
    ['424242', 0],
  ] as const) {
    const id = String((await home.svc(debitOtp(), { env, wire: true })).json()['id']);
    expect(await home.svc(`payins confirm ${id} --code ${code}`, { env, wire: true })).toMatchObject({
      exitCode: exit,
    });
  }
});

it('--settle-after leaves payouts processing', async () => {
  const { env } = await start('--store :memory: --settle-after 3600');
  const created = await home.svc(payout(), { env, wire: true });
  expect(created.json()).toMatchObject({ status: 'pending', pending_reason: 'processing' });
  await home.svc('sandbox clock advance 2h', { env, wire: true });
  const got = await home.svc(`payouts get ${String(created.json()['id'])}`, { env, wire: true });
  expect(got.json()).toMatchObject({ status: 'confirmed' });
});

it.each([
  ['', 201],
  ['--keys-of-refused forget', 201],
  ['--keys-of-refused remember', 409],
])(
  'with "%s" a refused create that is corrected under its key is answered with %d',
  async (flags, status) => {
    const { env } = await start(`--store :memory: ${flags}`);
    const body = {
      ...{ method: 'mobile_payment', country: 'VE', currency: 'VES' },
      beneficiary: {
        ...{ document: { type: 'V', number: '12345678' }, bank_code: '0102' },
        account_number: '04121234567',
      },
    };
    const statusOf = async (amount: string): Promise<number> => {
      const headers = { authorization: `Bearer ${env['SVC_API_KEY']}`, 'idempotency-key': 'invoice-0007' };
      const sent = { method: 'POST', headers, body: JSON.stringify({ ...body, amount }) };
      return (await fetch(`${env['SVC_BASE_URL']}/sandbox/v2/payouts`, sent)).status;
    };
    expect([await statusOf('0.01'), await statusOf('10.00')]).toEqual([400, status]);
  },
);

it('--allow-http-webhooks accepts http on loopback as a webhook url', async () => {
  const register = 'api POST /v2/webhook-endpoints -f url=http://127.0.0.1:9/hook';
  const strict = await start('--store :memory:');
  expect(await home.svc(register, { env: strict.env, wire: true })).toMatchObject({ exitCode: 6 });
  const lenient = await start('--store :memory: --allow-http-webhooks');
  expect(await home.svc(register, { env: lenient.env, wire: true })).toMatchObject({ exitCode: 0 });
});

describe('the store', () => {
  it('is the one of the embedded sandbox unless --store names another', async () => {
    const id = String((await home.svc(payout())).json()['id']);
    const { env, ready } = await start();
    expect((await home.svc(`payouts get ${id}`, { env, wire: true })).json()).toMatchObject({ id });
    expect((await home.svc('sandbox status', { wire: true })).json()).toMatchObject({ operations: 1 });
    expect(ready['api_key']).toMatch(/^svc_test_/);
    const path = join(home.home, 'other.db');
    const other = await start(`--store ${path}`);
    expect((await home.svc('sandbox status', { env: other.env, wire: true })).json()).toMatchObject({
      operations: 0,
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is owned while the server runs: commands with nothing configured go through it', async () => {
    const { stop, env } = await start('--settle-after 3600');
    const beside = join(home.ports.paths.data, 'sandbox.db.server');
    expect(statSync(beside).mode & 0o777).toBe(0o600);
    // Only the server knows of --settle-after.
    const created = await home.svc(payout(), { wire: true });
    expect(created.json()).toMatchObject({ pending_reason: 'processing' });
    await stop();
    expect(existsSync(beside)).toBe(false);
    expect((await home.svc(`payouts get ${String(created.json()['id'])}`)).json()).toMatchObject({
      amount: '5.00',
    });
    expect(await home.svc('balances', { env, wire: true })).toMatchObject({ exitCode: 11 });
  });

  it('has one server: the second ends with 15', async () => {
    await start();
    const second = await home.svc('sandbox start --port 0', { wire: true });
    expect(second).toMatchObject({ exitCode: 15, stdout: '' });
  });
});

describe('what is refused', () => {
  it.each([
    '--port 65536',
    '--port x',
    '--code 12345',
    '--code abcdef',
    '--settle-after -1',
    '--settle-after 1.5',
    '--keys-of-refused keep',
  ])('%s', async (flags) => {
    expect(await home.svc(`sandbox start --store :memory: ${flags}`)).toMatchObject({
      exitCode: 2,
      stdout: '',
    });
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

it('tells a person at a terminal what to type', async () => {
  const controller = new AbortController();
  const ended = home.svc('sandbox start --port 0 --store :memory:', {
    signal: controller.signal,
    tty: { stdout: true },
    wire: true,
    onData: () => controller.abort(new Stopped('SIGINT', 130)),
  });
  const { exitCode, stdout, stderr } = await ended;
  expect(exitCode).toBe(130);
  expect(stderr).toContain('Stopped by SIGINT. The sandbox has stopped.\n');
  expect(stderr).not.toMatch(/Nothing was sent|Error/);
  expect(stdout).toMatch(/export SVC_BASE_URL=http:.*\n.*export SVC_API_KEY=svc_test_/);
  // The command to paste is one line, however long.
  const prose = stdout.split('\n').filter((line) => !line.includes('curl'));
  for (const line of prose) expect(line.length).toBeLessThanOrEqual(80);
});

it('prints a curl line that works as it stands', async () => {
  const controller = new AbortController();
  let said: (text: string) => void = () => undefined;
  const first = new Promise<string>((resolve) => (said = resolve));
  const ended = home.svc('sandbox start --port 0 --store :memory:', {
    signal: controller.signal,
    tty: { stdout: true },
    wire: true,
    onData: (text) => said(text),
  });
  const line = /^ *(curl .*)$/m.exec(await first)![1]!;
  const asked = await shell(line, home.home);
  controller.abort(new Stopped('SIGINT', 130));
  await ended;
  expect(JSON.parse(asked.stdout)).toEqual({ balances: expect.any(Array) as unknown });
});

describe('each request', () => {
  const lines = async (started: Started): Promise<string[]> =>
    (await started.stop()).stderr.split('\n').filter((line) => / ms( live)?$/.test(line));

  it('is a line on standard error: when, what, how it ended, and how long it took', async () => {
    const started = await start('--store :memory:');
    const { env, ready } = started;
    await home.svc(debitOtp(), { env, wire: true });
    await home.svc('sandbox fault --route balances --kind drop-before', { env, wire: true });
    await fetch(`${String(ready['base_url'])}/sandbox/v2/balances?key=svc_test_secret`).catch(() => null);
    await fetch(`${String(ready['base_url'])}/v2/balances?key=svc_test_secret`);
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
    const started = await start('--store :memory: --quiet');
    await home.svc('balances', { env: started.env, wire: true });
    expect(await lines(started)).toEqual([]);
  });

  it('costs no memory where nobody reads', async () => {
    const written: string[] = [];
    const { promise, resolve: read } = Promise.withResolvers<undefined>();
    const errors = {
      ...home.ports.errors,
      write: async (text: string | Uint8Array) => {
        written.push(String(text));
        await promise;
      },
    };
    const log = requestLog({ ...home.ports, errors });
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
  ['events forward --to RECEIVER', 143],
  // This one waits for nobody.
  ['sandbox requests --follow', 11],
])('%s sends nothing to who took the port of a server that was killed', async (line, exitCode) => {
  await home.svc(payout());
  const server = await start();
  const port = Number(new URL(String(server.ready['base_url'])).port);
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
  const taken = new AbortController();
  const take = (): void => {
    if (taken.signal.aborted) return;
    taken.abort();
    const file = join(home.home, '.local/share/svc/sandbox.db.server');
    const announced = readFileSync(file);
    void server.stop().then(() => {
      writeFileSync(file, announced, { mode: 0o600 });
      thief.listen(port, '127.0.0.1');
    });
  };
  let deliveries = 0;
  const receiver = createHttpServer((request, response) => {
    deliveries += 1;
    request.resume().on('end', () => response.writeHead(204).end(take));
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}/hook`;
  const onData = line.includes('forward') ? (): void => undefined : take;
  const followed = home.svc(line.replace('RECEIVER', url), { signal: controller.signal, wire: true, onData });
  while (line.includes('requests') && !taken.signal.aborted) await home.svc('balances', { wire: true });
  const { exitCode: ended, stderr } = await followed;
  expect(ended, stderr).toBe(exitCode);
  thief.close();
  receiver.close();
  expect(deliveries).toBe(line.includes('forward') ? 1 : 0);
  expect(heard).toMatch(/^(GET \/_control\/owner|$)/);
  expect(heard).not.toMatch(/Bearer|\/v2|\/requests/);
});
