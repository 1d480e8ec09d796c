import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { COMMAND, endOf, environment, isRunning, shell, type Ended } from '../support/program.js';
import { PAYOUT_BODY } from '../support/requests.js';
import { testFolder } from '../support/test-folder.js';

let home: string;
beforeEach(() => (home = testFolder()));

function start(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const [program, ...before] = COMMAND;
  const options = { cwd: home, env: environment(home, env) };
  const child = spawn(program, [...before, 'sandbox', 'exec', ...words], options);
  child.stdin.end();
  return { child, ended: endOf(child) };
}

const exec = (words: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended> =>
  start(words, env).ended;

async function said(name: string): Promise<string> {
  const path = join(home, name);
  const isThere = (): boolean => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n');
  await expect.poll(isThere, { timeout: 20_000 }).toBe(true);
  return readFileSync(path, 'utf8').trim();
}

const variables = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^(SVC_\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );

it('has the code and the pace that are typed', async () => {
  const { stdout } = await exec(['--code', '424242', '--', 'sh', '-c', 'curl -s "$SVC_CONTROL_URL/status"']);
  expect(JSON.parse(stdout)).toMatchObject({ code: '424242' });
  const create =
    'curl -s -H "Authorization: Bearer $SVC_API_KEY" -H "Idempotency-Key: order-1001" ' +
    `-H "Content-Type: application/json" -d '${PAYOUT_BODY}' "$SVC_SANDBOX_URL/v2/payouts"`;
  const made = await exec(['--settle-after', '60', '--', 'sh', '-c', create]);
  expect(JSON.parse(made.stdout)).toMatchObject({ status: 'pending', pending_reason: 'processing' });
});

it.each([
  ['--code', '12345', '--code must be six digits.'],
  ['--settle-after', '1.5', '--settle-after must be a whole number from 0 to 31536000.'],
])('runs nothing with %s %s', async (flag, value, message) => {
  const { code, stdout, stderr } = await exec([flag, value, '--', 'echo', 'ran']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
});

describe('the command sees', () => {
  it('where the sandbox is and a key for it, and nothing that was set for svc', async () => {
    const set = { SVC_PROFILE: 'shop', SVC_API_KEY: 'svc_live_real', SVC_ENV: 'live', SVC_STATE_FILE: '/x' };
    const { code, stdout, stderr } = await exec(['--', 'env'], { ...set, SVC_HOME: home, OTHER: 'stays' });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('OTHER=stays');
    const seen = variables(stdout);
    const wanted = ['API_KEY', 'BASE_URL', 'CONTROL_URL', 'HOME', 'SANDBOX_URL'];
    expect(Object.keys(seen).sort()).toEqual(wanted.map((name) => `SVC_${name}`));
    const base = seen['SVC_BASE_URL']!;
    expect(base).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(seen).toMatchObject({
      SVC_API_KEY: expect.stringMatching(/^svc_test_[0-9a-f]{48}$/) as string,
      SVC_SANDBOX_URL: `${base}/sandbox`,
      SVC_CONTROL_URL: `${base}/_control`,
      SVC_HOME: expect.stringMatching(/^\/.*\/svc-beside-[0-9a-f]{16}$/) as string,
    });
    expect(existsSync(seen['SVC_HOME']!)).toBe(false);
  });

  it('its lock, which no sandbox of its own takes off', async () => {
    const { stdout } = await exec(['--live', '--', 'env'], { SVC_LOCK: 'read-only' });
    expect(variables(stdout)).toMatchObject({ SVC_LOCK: 'read-only' });
  });

  it('with --live a live key, and all that it takes to use it here', async () => {
    const { stdout } = await exec(['--live', '--', 'env']);
    expect(variables(stdout)).toMatchObject({
      SVC_API_KEY: expect.stringMatching(/^svc_live_sandbox_/) as string,
      SVC_ENV: 'live',
      SVC_INSECURE_LOOPBACK: '1',
    });
    const line = `svc sandbox exec --live -- bash -c 'svc balances --jq ".balances | length"'`;
    const inside = await shell(line, home);
    expect(inside).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\n$/) as string });
  });

  it('its arguments as they were typed', async () => {
    const words = ['-x', '--live', '--', 'a b', `it's "so"`, '$(touch pwned)', '', '\\n*', '--help'];
    const script = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
    const { code, stdout } = await exec(['--', process.execPath, '-e', script, '--', ...words]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(words);
    expect(existsSync(join(home, 'pwned'))).toBe(false);
  });

  it('a sandbox that delivers to a receiver on this machine', async () => {
    const script = `
      const { SVC_SANDBOX_URL: url, SVC_CONTROL_URL: control, SVC_API_KEY: key } = process.env;
      const server = require('node:http').createServer((request, response) => {
        console.log(request.headers['x-evento']);
        response.end();
        server.close();
      }).listen(0, '127.0.0.1', async () => {
        const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + key };
        const post = (to, body) => fetch(to, { method: 'POST', body, headers });
        const hook = 'http://127.0.0.1:' + server.address().port + '/';
        await post(url + '/v2/webhook-endpoints', JSON.stringify({ url: hook }));
        await post(control + '/ping', '{}');
      });`;
    const { code, stdout, stderr } = await exec(['--', process.execPath, '-e', script]);
    expect([code, stdout, stderr]).toEqual([0, 'test.ping\n', '']);
  });
});

describe('it ends', () => {
  it.each([
    ['with the exit code of the command', ['sh', '-c', 'exit 7'], 7],
    ['with 0 where that succeeds', ['true'], 0],
    ['with 128 and the number of the signal that ended it', ['sh', '-c', 'kill -KILL $$'], 137],
  ])('%s', async (_how, command, code) => {
    expect(await exec(['--', ...command])).toMatchObject({ code, signal: null, stdout: '', stderr: '' });
  });

  it.each([
    ['127 where there is no such command', ['no-such-command-x'], 127, /The command .*no-such-command-x/],
    ['127 for no name at all', [''], 127, /The command .*does not exist/],
    ['126 for a folder', ['/'], 126, /could not be started \(EACCES\)/],
  ])('with %s', async (_how, command, code, message) => {
    const ended = await exec(['--', ...command]);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toMatch(message);
  });

  it.each(['', '--', '--live --', 'npm test', '--no-such npm', '--port 1 -- true'])(
    'with 2 without a command, or for a flag that it does not have: %j',
    async (words) => {
      expect(await exec(words.split(' ').filter(Boolean))).toMatchObject({ code: 2, stdout: '' });
    },
  );
});

describe('its end', () => {
  const post = (amount: string, to = '/v2/payouts?x=1'): string =>
    `curl -s -o /dev/null -H "Authorization: Bearer $SVC_API_KEY" -H "Idempotency-Key: order-${amount}" ` +
    `-H "Content-Type: application/json" -d '${PAYOUT_BODY.replace(/"amount":"[^"]*"/, `"amount":"${amount}"`)}' "$SVC_SANDBOX_URL${to}"; `;
  const refusing = post('10.0001') + post('12.00') + post('13.00', '/v2/none');
  const file = (): string => join(home, 'end.json');

  it.each([
    ['exit 7', 7],
    ['kill -KILL $$', 137],
    ['exit 0', 0],
  ])('after %s says what was refused if that is a failure, and keeps the state', async (end, code) => {
    const ended = await exec(['--keep', file(), '--', 'sh', '-c', refusing + end]);
    expect([ended.code, ended.stdout]).toEqual([code, '']);
    const lines = ended.stderr.split('\n');
    if (code === 0) expect(lines).toEqual(['']);
    else
      expect(lines).toEqual([
        'The sandbox refused 2 requests:',
        expect.stringMatching(
          /^ {2}POST \/sandbox\/v2\/payouts\?x=1 400: amount is "10.0001", but must be a text/,
        ),
        expect.stringMatching(/^ {2}POST \/sandbox\/v2\/none 404: ./),
        '',
      ]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const again = await exec(['--seed', file(), '--', 'sh', '-c', 'curl -s "$SVC_CONTROL_URL/state"']);
    const past = (text: string): string => text.replace(/"now": .*/, '');
    expect(past(again.stdout)).toBe(past(readFileSync(file(), 'utf8')));
    expect(JSON.parse(again.stdout)).toMatchObject({ operations: [{ operation: { amount: '12.00' } }] });
  });

  it('names the last twenty of many, and nothing with --quiet', async () => {
    const many = ['sh', '-c', `for i in $(seq 25); do ${post('0')} done; exit 1`];
    const { stderr } = await exec(['--', ...many]);
    expect(stderr.split('\n')).toHaveLength(22);
    expect(stderr).toMatch(/^The sandbox refused 25 requests, the last 20 of them:\n/);
    expect(await exec(['--quiet', '--', ...many])).toMatchObject({ code: 1, stderr: '' });
  });

  it('says what was refused before a reset, and which deliveries no receiver took', async () => {
    const control = (path: string, body = '{}') =>
      `curl -s -o /dev/null -d '${body}' "$SVC_CONTROL_URL${path}"; `;
    const url = '{"url":"http://127.0.0.1:9/hooks"}';
    const register = post('1.00', '/v2/webhook-endpoints').replace(/-d '[^']*'/, `-d '${url}'`);
    const tried = 'until curl -s "$SVC_CONTROL_URL/deliveries" | grep -q no.program; do sleep 0.05; done; ';
    const script = `${refusing}${register}${post('14.00')}${tried}${control('/reset', '{"no":1}')}${control('/reset')}${post('15.0001')}exit 1`;
    const { stderr } = await exec(['--', 'sh', '-c', script]);
    expect(stderr.split('\n')).toEqual([
      'The sandbox refused 3 requests:',
      expect.stringContaining('amount is "10.0001"'),
      expect.stringContaining('/v2/none 404'),
      expect.stringContaining('amount is "15.0001"'),
      'No receiver took 1 delivery:',
      expect.stringMatching(/^ {2}payout.confirmed to http:\/\/127.0.0.1:9\/hooks: no program listens/),
      '',
    ]);
  });

  it.each(['', '/no/such/folder/end.json', '/'])(
    'runs nothing where it cannot keep the state: %j',
    async (to) => {
      const ended = await exec(['--keep', to, '--', 'echo', 'ran']);
      expect(ended).toMatchObject({ code: 16, stdout: '' });
      expect(ended.stderr).toContain('could not be written');
    },
  );
});

describe('a signal', () => {
  const WAITS = `echo ready > ready; trap 'echo SIGNAL > got; exit 3' INT TERM; while :; do sleep 0.05; done`;

  it.each(['SIGINT', 'SIGTERM'] as const)('%s is passed on, and the command decides', async (name) => {
    const { child, ended } = start(['--', 'sh', '-c', WAITS]);
    await said('ready');
    child.kill(name);
    expect(await ended).toMatchObject({ code: 3 });
    expect(await said('got')).toBe('SIGNAL');
  });

  it('ends a command that does not listen to it: 128 and its number', async () => {
    const { child, ended } = start(['--', 'sh', '-c', 'echo ready > ready; exec sleep 600']);
    await said('ready');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 143 });
  });

  it('kills where it comes a second time', async () => {
    const script = `trap '' INT; echo $$ > pid; while :; do sleep 0.05; done`;
    const { child, ended } = start(['--', 'sh', '-c', script]);
    const pid = await said('pid');
    child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isRunning(pid)).toBe(true);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130 });
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

describe('what the command left behind', () => {
  it('is ended with it, what does not listen too', async () => {
    const script = `sleep 600 & echo $! > one; (trap '' TERM; echo ready > two; sleep 600) & echo $! > three; cat two > /dev/null`;
    const ended = await exec(['--', 'sh', '-c', `${script}; sleep 0.2`]);
    expect(ended.code).toBe(0);
    for (const name of ['one', 'three']) expect(isRunning(await said(name))).toBe(false);
  });

  it('is ended where svc itself is killed', async () => {
    const script = 'sleep 600 & echo $! > one; sleep 0.5; echo $$ > pid; wait';
    const { child, ended } = start(['--', 'sh', '-c', script]);
    const [one, pid] = [await said('one'), await said('pid')];
    child.kill('SIGKILL');
    await ended;
    await expect.poll(() => [one, pid].some(isRunning), { timeout: 10_000 }).toBe(false);
  });
});
