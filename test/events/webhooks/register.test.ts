import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { NotAnswered, type HttpRequest, type Transport } from '../../../src/runtime/transport.js';
import { eachWorld, watched, type Result, type RunOptions } from '../../support/svc.js';
import { BODY, firma } from './samples.js';

const HOUR = 3_600_000;
const URL = 'https://shop.example/hooks';
const SANDBOX = { SVC_BASE_URL: 'https://api.example.com', SVC_API_KEY: 'svc_test_abc123' };
const LIVE = { ...SANDBOX, SVC_API_KEY: 'svc_live_abc123', SVC_ENV: 'live' };

const box = eachWorld();
let keys: string;
beforeEach(() => (keys = join(box.home, '.config', 'svc', 'keys.json')));

const register = (options: RunOptions = {}, ...argv: string[]): Promise<Result> =>
  box.svc(['webhooks', 'register', '--url', URL, ...argv], options);
const verify = (secret: string, env: Record<string, string> = {}, ...argv: string[]): Promise<Result> => {
  const stamp = String(Math.floor(box.clock.now() / 1000));
  const given = ['--signature', firma(BODY, stamp, secret), '--timestamp', stamp];
  return box.svc(['webhooks', 'verify', ...given, ...argv], { stdin: BODY, env });
};
const secretOf = (result: Result): string => String(result.json()['secret']);

function service(...secrets: string[]): { transport: Transport; sent: HttpRequest[] } {
  const sent: HttpRequest[] = [];
  const transport: Transport = (request) => {
    const secret = secrets[sent.length] ?? '';
    sent.push(request);
    const body = Buffer.from(`{ "id":"1", "url":"${URL}",\n "secret":"${secret}", "more": 1.10 }`);
    return Promise.resolve({ status: 201, headers: [['content-type', 'application/json']], body });
  };
  return { transport, sent };
}

describe('with the embedded sandbox', () => {
  it.each(['http://127.0.0.1:9999/hooks', 'http://localhost/hooks'])(
    'names the flag that allows %s',
    async (url) => {
      const refused = await box.svc(['webhooks', 'register', '--url', url]);
      expect(refused).toMatchObject({ exitCode: 6, stdout: '' });
      expect(refused.error()).toMatchObject({
        code: 'field_invalid',
        details: [{ field: 'url', code: 'invalid' }],
        message: expect.stringContaining('start the sandbox with a flag') as string,
        next_command: 'svc sandbox start --allow-http-webhooks',
      });
    },
  );

  it('names no flag for an address that none allows', async () => {
    const refused = await box.svc(['webhooks', 'register', '--url', 'https://10.0.0.1/hooks']);
    expect(refused).toMatchObject({ exitCode: 6 });
    expect(refused.stderr).not.toContain('--allow-http-webhooks');
  });

  it('prints the answer, keeps the secret in a private file, and finds it again', async () => {
    const registered = await register();
    expect(registered.exitCode).toBe(0);
    expect(registered.json()).toMatchObject({ url: URL, secret: expect.stringMatching(/^whsec_/) as string });
    expect(registered.stderr).toMatch(/secret is kept in a file that only you can read/);
    expect(statSync(keys).mode & 0o777).toBe(0o600);
    expect(await verify(secretOf(registered))).toMatchObject({ exitCode: 0 });
    const signed = await box.svc('webhooks sign', { stdin: BODY });
    const stamp = String(signed.json()['X-Timestamp']);
    expect(signed.json()['X-Firma']).toBe(firma(BODY, stamp, secretOf(registered)));
  });

  it('signs with the one before too for 24 hours, newest first, and explains it afterwards', async () => {
    const first = secretOf(await register());
    box.clock.advance(100 * HOUR);
    const second = secretOf(await register());
    box.clock.advance(24 * HOUR - 60_000);
    const signed = (await box.svc('webhooks sign', { stdin: BODY })).json();
    const both = [second, first].map((secret) => firma(BODY, String(signed['X-Timestamp']), secret));
    expect(signed['X-Firma']).toBe(both.join(' '));
    expect((await verify(first)).exitCode).toBe(0);
    box.clock.advance(60_000);
    expect((await verify(second)).exitCode).toBe(0);
    const { exitCode, stderr, error } = await verify(first, {}, '--explain');
    expect(exitCode).toBe(17);
    expect(error()['message']).toMatch(/signed with another secret .*\(sandbox\): that one was replaced/);
    expect(stderr).not.toContain(first);
  });

  it('verifies a stored delivery with what was valid then', async () => {
    const first = secretOf(await register());
    box.clock.advance(HOUR);
    await register();
    const then = String(Math.floor(box.clock.now() / 1000));
    box.clock.advance(48 * HOUR);
    const given = ['--signature', firma(BODY, then, first), '--timestamp', then];
    expect((await box.svc(['webhooks', 'verify', ...given, '--at', then], { stdin: BODY })).exitCode).toBe(0);
    const now = await box.svc(['webhooks', 'verify', ...given, '--tolerance', '999999'], { stdin: BODY });
    expect(now.exitCode).toBe(17);
  });
});

describe('with a service', () => {
  it('prints its own bytes', async () => {
    const { transport, sent } = service('whsec_one');
    const { bytes } = await register({ env: SANDBOX, transport });
    expect(bytes.toString()).toBe(`{ "id":"1", "url":"${URL}",\n "secret":"whsec_one", "more": 1.10 }\n`);
    expect(Buffer.from(sent[0]?.body ?? []).toString()).toBe(`{"url":"${URL}"}`);
    expect(sent[0]?.url).toBe('https://api.example.com/sandbox/v2/webhook-endpoints');
  });

  it('keeps addresses and environments apart, and names the other environment', async () => {
    const OTHER = { ...SANDBOX, SVC_BASE_URL: 'https://other.example/' };
    await register({ env: SANDBOX, ...service('whsec_sandbox') });
    await register({ env: LIVE, ...service('whsec_live') });
    await register({ env: { ...OTHER, SVC_BASE_URL: 'https://other.example' }, ...service('whsec_other') });
    const places = [SANDBOX, LIVE, OTHER, { SVC_BASE_URL: SANDBOX.SVC_BASE_URL }, {}];
    for (const [secret, codes] of Object.entries({
      whsec_sandbox: [0, 17, 17, 0, 2],
      whsec_live: [17, 0, 17, 17, 2],
      whsec_other: [17, 17, 0, 17, 2],
    })) {
      const all = await Promise.all(places.map((env) => verify(secret, env)));
      expect(all.map(({ exitCode }) => exitCode)).toEqual(codes);
    }
    const explained = async (secret: string, env: Record<string, string>): Promise<unknown> =>
      (await verify(secret, env, '--explain')).error()['message'];
    expect(await explained('whsec_live', SANDBOX)).toMatch(/the other environment's secret \(live\)/);
    const given = { ...SANDBOX, SVC_WEBHOOK_SECRET: 'whsec_wrong' };
    expect(await explained('whsec_sandbox', given)).toMatch(/registered for this address \(sandbox\)/);
  });

  it('finds the address by flags too', async () => {
    await register({ env: SANDBOX, ...service('whsec_one') });
    const flags = ['--base-url', 'https://api.example.com'];
    expect((await verify('whsec_one', {}, ...flags)).exitCode).toBe(0);
    expect((await verify('whsec_one', {}, ...flags, '--live')).exitCode).toBe(2);
    expect((await verify('whsec_one', {}, '--base-url', 'http://api.example.com')).exitCode).toBe(13);
  });

  it('asks for nothing where the secret could not be kept', async () => {
    const { transport, sent } = service('whsec_one');
    mkdirSync(keys, { recursive: true });
    chmodSync(join(keys, '..'), 0o700);
    const { exitCode, stdout, error } = await register({ env: SANDBOX, transport });
    expect([exitCode, stdout, sent.length]).toEqual([16, '', 0]);
    expect(error()).toMatchObject({ outcome: 'not_sent' });
  });

  it('shows no secret that it could not keep', async () => {
    const { transport, sent } = service('whsec_one');
    const breaking = watched(transport, () => {
      rmSync(keys);
      mkdirSync(keys);
    });
    const { exitCode, stdout, stderr, error } = await register({ env: SANDBOX, transport: breaking });
    expect([exitCode, stdout, sent.length]).toEqual([16, '', 1]);
    expect(stderr).not.toContain('whsec_one');
    expect(error()).toMatchObject({ outcome: 'sent', next_command: `svc webhooks register --url ${URL}` });
    const said = /registered, but svc could not store its secret.*24 hours.*register again/;
    expect(error()['message']).toMatch(said);
  });

  it('has stored it before it is shown', async () => {
    await register({ env: SANDBOX, ...service('whsec_one'), breakAfterWrites: 0 });
    expect((await verify('whsec_one', SANDBOX)).exitCode).toBe(0);
  });

  it.each([
    ['lost', new NotAnswered('reset', true, 'the connection was cut'), 12, 'unknown'],
    ['never sent', new NotAnswered('connect', false, 'refused'), 11, 'not_sent'],
  ])(
    'an answer that is %s is not asked for again, and leaves the old secret',
    async (_what, lost, exit_code, outcome) => {
      await register({ env: SANDBOX, ...service('whsec_one') });
      let sent = 0;
      const transport: Transport = () => Promise.reject((sent += 1) === 1 ? lost : new Error('asked again'));
      const { stdout, error } = await register({ env: SANDBOX, transport });
      expect(stdout).toBe('');
      const next_command = `svc webhooks register --url ${URL}`;
      expect(error()).toMatchObject({ exit_code, outcome, next_command });
      if (exit_code === 12)
        expect(error()['message']).toMatch(/Register again\. The previous secret stays valid/);
      expect((await verify('whsec_one', SANDBOX)).exitCode).toBe(0);
    },
  );

  it.each<[string, number, string]>([
    ['a refusal', 400, '{"error":{"code":"field_invalid","message":"no","details":[]}}'],
    ['no secret', 201, '{"id":"1"}'],
    ['an empty secret', 201, '{"secret":""}'],
  ])('%s changes nothing', async (_name, status, text) => {
    await register({ env: SANDBOX, ...service('whsec_one') });
    const before = readFileSync(keys, 'utf8');
    const transport: Transport = () => Promise.resolve({ status, headers: [], body: Buffer.from(text) });
    const { exitCode } = await register({ env: SANDBOX, transport });
    expect(exitCode).toBe(status === 400 ? 6 : 12);
    expect(readFileSync(keys, 'utf8')).toBe(before);
  });

  it.each(['whsec_canary0123456789', 'canary0123456789', 'canary/0123+456=789 x"y'])(
    'shows the secret %j on standard output only',
    async (secret) => {
      const { transport } = service(JSON.stringify(secret).slice(1, -1));
      const { stderr, stdout } = await register({ env: SANDBOX, transport }, '--debug');
      expect(stdout).toContain('0123');
      expect(stderr).toContain('webhook-endpoints');
      expect(stderr).not.toContain('0123');
    },
  );
});

it.each<[string, string, Record<string, string>, number]>([
  ['', 'it is none', SANDBOX, 2],
  ['shop.example', 'it has no scheme', SANDBOX, 2],
  ['http://shop.example/x', 'http', SANDBOX, 2],
  ['ftp://shop.example', 'ftp', SANDBOX, 2],
  ['http://127.0.0.1.evil.example/', 'http', SANDBOX, 2],
  ['javascript:1', 'no address', SANDBOX, 2],
  ['http://localhost/x', 'http live, on this machine too', LIVE, 2],
  ['https://shop.example/x', 'for the sandbox to judge', SANDBOX, 0],
  ['HTTPS://shop.example', 'for the sandbox to judge', SANDBOX, 0],
  ['http://127.0.0.1:8080/x', 'for the sandbox to judge', SANDBOX, 0],
  ['http://localhost/x', 'for the sandbox to judge', SANDBOX, 0],
  ['http://[::1]:1/', 'for the sandbox to judge', SANDBOX, 0],
  ['https://shop.example', 'https live', LIVE, 0],
])('the url %j: %s', async (url, _why, env, exitCode) => {
  const { transport, sent } = service('whsec_one');
  const tried = await box.svc(['webhooks', 'register', '--url', url], { env, transport });
  expect([tried.exitCode, sent.length]).toEqual([exitCode, exitCode === 0 ? 1 : 0]);
});

it('the url is required', async () => expect((await box.svc('webhooks register')).exitCode).toBe(2));

it('a file of secrets that others can read is refused, and nothing is asked for', async () => {
  const { transport, sent } = service('whsec_one', 'whsec_two');
  await register({ env: SANDBOX, transport });
  writeFileSync(keys, readFileSync(keys));
  chmodSync(keys, 0o644);
  expect((await register({ env: SANDBOX, transport })).exitCode).toBe(16);
  expect(sent.length).toBe(1);
});
