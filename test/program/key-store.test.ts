import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../house/source.js';
import { falsePostgres, type FalsePostgres } from '../support/false-postgres.js';
import { COMMAND, endOf, environment, type Ended } from '../support/program.js';
import { payout } from '../support/requests.js';
import { testFolder } from '../support/test-folder.js';

const TEST_KEY = `svc_test_${'0123456789abcdef'.repeat(3)}`;
const LIVE_KEY = TEST_KEY.replace('test', 'live');
const NOWHERE = 'http://127.0.0.1:9';
const ID = '01980000-0000-7000-8000-000000000001';
const HANGS_MS = 60_000;

const folder = testFolder();
let database: FalsePostgres;
beforeAll(async () => {
  database = await falsePostgres([['scram']]);
  mkdirSync(join(folder, 'home', 'keys'), { recursive: true });
  writeFileSync(join(folder, 'home', 'rows.csv'), 'reference,amount\nr-1,1.00\n');
  const added = await svc(join(folder, 'home'), ADD, TEST_KEY);
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('keystore') as string });
  const state = `postgres://worker@127.0.0.1:${String(database.port)}/pay`;
  const shared = await svc(join(folder, 'home'), [...SET_STATE, '--state-url', state], 'pw-of-state');
  expect(shared).toMatchObject({ code: 0, stderr: '' });
});
afterAll(() => database.close());

const ADD = ['profiles', 'add', 'shop', '--base-url', NOWHERE, '--key-stdin'];
const SET_STATE = ['profiles', 'set-state', 'shop', '--state-password-stdin'];

function silentHome(name: string): string {
  const home = join(folder, name);
  cpSync(join(folder, 'home'), home, { recursive: true });
  execFileSync('mkfifo', [join(home, 'keys', 'pipe')]);
  return home;
}

function svc(
  home: string,
  args: readonly string[],
  stdin: string,
  onAsked: (kill: (signal: NodeJS.Signals) => void) => void = () => undefined,
): Promise<Ended> {
  const env = environment(home, {
    KEYRING_FOLDER: join(home, 'keys'),
    NODE_OPTIONS: `--require=${join(ROOT, 'test/support/keyring.cjs')}`,
  });
  const [program, ...first] = COMMAND;
  const child = spawn(program, [...first, ...args], { env, cwd: home });
  const limit = setTimeout(() => child.kill('SIGKILL'), HANGS_MS);
  let said = '';
  child.stderr.on('data', (chunk) => {
    const wasAsked = said.includes('asked');
    said += String(chunk);
    if (!wasAsked && said.includes('asked')) onAsked((signal) => void child.kill(signal));
  });
  child.stdin.on('error', () => undefined).end(stdin);
  return endOf(child).finally(() => clearTimeout(limit));
}

const DELIVERY = ['--signature', `v1=${'0'.repeat(64)}`, '--timestamp', '1700000000'];

const LINES: readonly (readonly [line: string | readonly string[], code: number, stdin?: string])[] = [
  ['profiles add test --base-url http://127.0.0.1:9 --key-stdin', 0, TEST_KEY],
  ['profiles add live --base-url https://api.example.com --key-stdin', 13, LIVE_KEY],
  ['profiles set-key shop --key-stdin', 13, LIVE_KEY],
  [SET_STATE, 16, 'pw-of-state'],
  ['profiles remove shop', 16],
  ['doctor', 16],
  ['balances', 16],
  ['capabilities', 16],
  ['api GET /v2/balances', 16],
  ['events list --all', 16],
  ['events tail --no-follow', 16],
  ['events forward --to http://127.0.0.1:9', 16],
  ['operations list', 16],
  [`transactions get ${ID}`, 16],
  [`payins confirm ${ID} --code 123456`, 16],
  [payout(), 16],
  ['payouts batch rows.csv --country VE --currency VES --method mobile_payment', 16],
  ['batches list', 16],
  ['requests list', 16],
  ['state status', 16],
  ['webhooks register --url https://shop.example.com/hook', 16],
  [['webhooks', 'verify', ...DELIVERY], 2, '{}'],
  ['webhooks sign', 2, '{}'],
];

describe.skipIf(process.env['SVC'] !== undefined)('a key store that never answers', () => {
  it('holds no command that has said so', async () => {
    const ends = await Promise.all(
      LINES.map(async ([line, , stdin = ''], at) => {
        const args = typeof line === 'string' ? line.split(' ') : line;
        return [args.join(' '), await svc(silentHome(`h${String(at)}`), args, stdin)] as const;
      }),
    );
    for (const [at, [line, { code, signal, stderr }]] of ends.entries()) {
      expect([line, code ?? signal], stderr).toEqual([line, LINES[at]?.[1]]);
      expect(stderr, line).toContain('asked');
    }
  });

  it('holds no process that is told to end', async () => {
    const named = silentHome('named');
    const address = ['--base-url', 'https://api.example.com'];
    await svc(named, ['profiles', 'add', 'named', ...address, '--key-stdin'], TEST_KEY);
    const ends = await Promise.all([
      svc(named, ['balances', '-p', 'named'], '', (kill) => kill('SIGINT')),
      svc(silentHome('once'), ['balances'], '', (kill) => kill('SIGTERM')),
      svc(silentHome('twice'), ['balances'], '', (kill) => {
        kill('SIGINT');
        kill('SIGTERM');
      }),
      svc(silentHome('listening'), ['webhooks', 'listen', '--port', '0'], '', (kill) => kill('SIGTERM')),
    ]);
    const either = expect.toBeOneOf([130, 143]) as unknown;
    expect(ends.map(({ code, signal }) => code ?? signal)).toEqual([130, 143, either, 143]);
  });
});
