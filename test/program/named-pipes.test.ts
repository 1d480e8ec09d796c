import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMAND, endOf, environment, shell } from '../support/program.js';
import { testFolder } from '../support/test-folder.js';

const home = testFolder();
const PIPE = join(home, 'pipe');
execFileSync('mkfifo', ['-m', '600', PIPE]);
const [SERVICE, STATE] = ['https://127.0.0.1:1', 'postgres://u@127.0.0.1:1/d'];
const WITH_KEY = { SVC_API_KEY: 'svc_test_0123456789abcdef0123456789abcdef', SVC_BASE_URL: SERVICE };

type Given = readonly [what: string, words: string, env: Readonly<Record<string, string>>];
const named = (path: string): Given[] => [
  ['--data', `payouts create --data @${path}`, {}],
  ['--data-file', `api POST /v2/payouts --data-file ${path}`, {}],
  ['--secret-file', `webhooks sign --secret-file ${path}`, {}],
  ['--ca-file', `balances --ca-file ${path}`, WITH_KEY],
  ['a statement', `reconcile ${path}`, {}],
  ['SVC_API_KEY_FILE', 'balances', { SVC_API_KEY_FILE: path, SVC_BASE_URL: SERVICE }],
  ['SVC_STATE_FILE', 'batches list', { SVC_STATE_FILE: path }],
  ['SVC_STATE_PASSWORD_FILE', 'state status', { SVC_STATE: STATE, SVC_STATE_PASSWORD_FILE: path }],
  ['SVC_STATE_KEY_FILE', 'state init --print', { SVC_STATE: STATE, SVC_STATE_KEY_FILE: path }],
  ['SVC_INTO_PASSWORD_FILE', `events tail --into ${STATE}`, { SVC_INTO_PASSWORD_FILE: path }],
];

function opened(pid: number): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      const files = execFileSync('sh', [
        '-c',
        `ls -l /proc/${String(pid)}/fd /proc/${String(pid)}/task/*/syscall 2>/dev/null || true`,
      ]);
      if (String(files).includes(PIPE)) resolve();
      else setTimeout(look, 20);
    };
    look();
  });
}

describe.runIf(process.platform === 'linux')('a named pipe that nobody writes', () => {
  it.each(named(PIPE))('as %s ends at SIGTERM, and says so', async (_what, words, env) => {
    const [command, ...given] = [...COMMAND, ...words.split(' '), '--json'];
    const child = spawn(command, given, { env: environment(home, env), stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = endOf(child);
    await opened(child.pid ?? 0);
    child.kill('SIGTERM');
    const { code, signal, stderr } = await ended;
    expect([code, signal]).toEqual([143, null]);
    expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'stopped', exit_code: 143, outcome: 'not_sent' },
    });
  });

  it('as the file of a batch is refused at once', async () => {
    const run = await shell(
      `svc payouts batch ${PIPE} --country VE --currency VES --method mobile_payment --json`,
      home,
    );
    expect([run.code, run.stderr]).toEqual([14, expect.stringContaining('not a regular file') as string]);
  });
});

it('is read where somebody writes it, late too', async () => {
  const secret = 'whsec_0123456789abcdef0123456789abcdef';
  const signed = await shell(
    `(sleep 0.2; printf '${secret}' > ${PIPE}) & printf '{"id":"e1","type":"test.ping","occurred_at":"2026-09-23T15:00:00Z","data":{}}' | svc webhooks sign --secret-file ${PIPE} --at 1 --json; wait`,
    home,
  );
  expect(signed.stderr).toBe('');
  const same = await shell(
    `printf '{"id":"e1","type":"test.ping","occurred_at":"2026-09-23T15:00:00Z","data":{}}' | svc webhooks sign --secret-file <(printf '${secret}') --at 1 --json`,
    home,
  );
  expect(same.stdout).toBe(signed.stdout);
  expect(signed.stdout).not.toBe('');
});

const FILE = join(home, 'given');
writeFileSync(FILE, 'reference,amount\nA,1.00\n', { mode: 0o600 });

it
  .runIf(spawnSync('strace', ['-f', 'true']).status === 0)
  .each([
    ...named(FILE),
    ['a batch', `payouts batch ${FILE} --country VE --currency VES --method mobile_payment`, {}] as Given,
    ['standard input', 'payouts create --data -', {}] as Given,
  ])('an error of the disk while %s is read is 16, and nothing was sent', async (_what, words, env) => {
  const trace = [
    ...['-f', '-qq', '-o', '/dev/null', '-P', FILE, '-e', 'trace=read,pread64'],
    ...['-e', 'inject=read,pread64:error=EIO'],
  ];
  const input = openSync(FILE, 'r');
  const child = spawn('strace', [...trace, ...COMMAND, ...words.split(' '), '--json'], {
    env: environment(home, env),
    stdio: [input, 'ignore', 'pipe'],
  });
  closeSync(input);
  const { code, stderr } = await endOf(child);
  expect([code, stderr]).toEqual([16, expect.stringContaining('The disk reports an error.') as string]);
  const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { error: unknown };
  expect(error).toMatchObject({ code: 'local_state', outcome: 'not_sent' });
});
