/** A disk that reports an error while a file that somebody named is read: 16, and nothing was sent. */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COMMAND, endOf, environment } from '../support/program.js';
import { testFolder } from '../support/test-folder.js';

const HAS_STRACE = spawnSync('strace', ['-f', 'true']).status === 0;
const home = testFolder();
const FILE = join(home, 'given');
writeFileSync(FILE, 'reference,amount\nA,1.00\n');

it.runIf(HAS_STRACE).each([
  ['a batch', `payouts batch ${FILE} --country VE --currency VES --method mobile_payment`, {}],
  ['a statement', `reconcile ${FILE}`, {}],
  ['--data', `payouts create --data @${FILE}`, {}],
  ['--secret-file', `webhooks sign --secret-file ${FILE}`, {}],
  ['standard input', 'payouts create --data -', {}],
  [
    '--ca-file',
    `balances --ca-file ${FILE}`,
    { SVC_API_KEY: 'svc_test_0123456789abcdef', SVC_BASE_URL: 'https://127.0.0.1:1' },
  ],
  ['SVC_API_KEY_FILE', 'balances', { SVC_API_KEY_FILE: FILE, SVC_BASE_URL: 'https://127.0.0.1:1' }],
] as [string, string, Record<string, string>][])('of %s', async (_what, words, env) => {
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
