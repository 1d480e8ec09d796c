/** A named pipe that nobody writes, given as any file: Ctrl-C and SIGTERM end the program, and what a shell writes into one is read. */
import { execFileSync, spawn } from 'node:child_process';
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
const GIVEN: Given[] = [
  ['--data', `payouts create --data @${PIPE}`, {}],
  ['--data-file', `api POST /v2/payouts --data-file ${PIPE}`, {}],
  ['--secret-file', `webhooks sign --secret-file ${PIPE}`, {}],
  ['--ca-file', `balances --ca-file ${PIPE}`, WITH_KEY],
  ['a statement', `reconcile ${PIPE}`, {}],
  ['SVC_API_KEY_FILE', 'balances', { SVC_API_KEY_FILE: PIPE, SVC_BASE_URL: SERVICE }],
  ['SVC_STATE_FILE', 'batches list', { SVC_STATE_FILE: PIPE }],
  ['SVC_STATE_PASSWORD_FILE', 'state status', { SVC_STATE: STATE, SVC_STATE_PASSWORD_FILE: PIPE }],
  ['SVC_STATE_KEY_FILE', 'state init --print', { SVC_STATE: STATE, SVC_STATE_KEY_FILE: PIPE }],
  ['SVC_INTO_PASSWORD_FILE', `events tail --into ${STATE}`, { SVC_INTO_PASSWORD_FILE: PIPE }],
];

/** It has opened the pipe: of the writers of one, the first that finds a reader goes on. */
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
  it.each(GIVEN)('as %s ends at SIGTERM, and says so', async (_what, words, env) => {
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
