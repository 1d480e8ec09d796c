import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Stopped } from '../../src/runtime/ports.js';
import { NotAnswered } from '../../src/runtime/transport.js';
import type { ShopMode } from './controls/receivers/shop.js';
import { PROBE, shopTransport } from './support/shop-transport.js';
import { eachWorld, watched, type RunOptions } from '../support/svc.js';
import '../support/starting.js';

const SECRET = 'whsec_of_the_shop';
const TO = ['--to', 'http://127.0.0.1:3000/hooks'];

const home = eachWorld();

async function certify(mode: ShopMode, words: readonly string[], options: RunOptions = {}) {
  const transport = shopTransport(mode, SECRET, home.home, home.clock);
  const env = { SVC_WEBHOOK_SECRET: SECRET, ...options.env };
  const to = words.includes('--to') ? [] : TO;
  return home.svc(['certify', 'receiver', ...to, ...words], { transport, ...options, env });
}

function probe(): string {
  const path = join(home.home, 'state');
  writeFileSync(path, PROBE, { mode: 0o755 });
  return `'${path}'`;
}

type Case = Readonly<Record<'id' | 'status' | 'repeat', string>>;
const casesOf = (json: Record<string, unknown>): Case[] => json['cases'] as Case[];

it('passes a right receiver, and says so on standard output alone', async () => {
  const { exitCode, json, stderr } = await certify('right', ['--effect', probe(), '--quiet']);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(json()).toMatchObject({ exam: 'receiver', passed: true, command: null, clean: null, left_out: [] });
  expect(casesOf(json()).map(({ status }) => status)).toEqual(Array(46).fill('passed'));
});

it('shows what failed, what that explains, and what it comes to', async () => {
  const tty = { stdout: true };
  const { exitCode, stdout, stderr } = await certify('no-time', ['--effect', probe()], { tty });
  expect(exitCode).toBe(19);
  expect(stdout).toMatch(/^Receiver http:\/\/127\.0\.0\.1:3000\/hooks\. An effect takes \d+ ms\.\n/);
  expect(stdout).toMatch(
    /\nFAILED {2}time\.old-310 +must, section 6 \(2\)\n {2}answered 200, but it must refuse this delivery\n {2}svc certify /,
  );
  expect(stdout).toMatch(/\n {2}and so: time\.ahead-310, time\.malformed\n/);
  expect(stdout).toMatch(/\n43 passed, 3 failed, 0 advice, 0 not judged, .* s\. Not passed \(19\)\.\n$/);
  const told = [10, 20, 30, 40].map((at) => `${String(at)} of 46 cases\n`).join('');
  expect(stderr).toBe(`${told}Error: The receiver did not pass.\n`);
});

it('tells a script in the error what failed, with the line to type', async () => {
  const { error } = await certify('no-time', ['--effect', probe(), '--quiet']);
  const why = 'time.old-310: answered 200, but it must refuse this delivery';
  const message = `The receiver did not pass.\n${why}`;
  expect(error()).toMatchObject({ code: 'not_certified', exit_code: 19, message });
  expect(error()['next_command']).toMatch(/^svc certify receiver .*--only time\.old-310$/);
});

describe('without --effect', () => {
  it('is not passed, and says how it would be', async () => {
    const { exitCode, json, error } = await certify('right', ['--quiet']);
    expect(exitCode).toBe(19);
    expect(casesOf(json()).filter(({ status }) => status === 'not_judged')).toHaveLength(4);
    expect(error()['message']).toMatch(/--effect COMMAND\. To pass without: --skip twice --skip ping$/);
  });

  it('passes where what rests on it is left out, and says that in every report', async () => {
    const words = ['--skip', 'twice', '--skip', 'ping', '--quiet'];
    const leftOut = ['twice.row', 'twice.at-once', 'twice.cut', 'ping'];
    const { exitCode, json } = await certify('right', words);
    expect([exitCode, json()['left_out']]).toEqual([0, leftOut]);
    const { stdout } = await certify('right', words, { tty: { stdout: true } });
    expect(stdout).toContain('Left out by you: 4 cases (twice.row, twice.at-once, twice.cut, ping).\n');
  });
});

it('--only of a printed line runs again what it was printed for, whatever its values are', async () => {
  const effect = `printf '%s' "it's -- $SVC_OPERATION_ID" > /dev/null; ${probe()}`;
  const words = ['--effect', effect, '--settle', '2s', '--strict', '--quiet'];
  const { json } = await certify('accepts-all', words);
  const line = casesOf(json()).find(({ id }) => id === 'forged.byte')?.repeat ?? '';
  const typed = [...line.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replaceAll(`'\\''`, `'`),
  );
  const again = await certify('accepts-all', typed.slice(3));
  expect(again.exitCode).toBe(19);
  expect(casesOf(again.json()).map(({ id }) => id)).toEqual(['good.payin.confirmed', 'forged.byte']);
  expect(line).toContain('--settle 2s');
});

it.each(['unknown-400', 'dies'] as const)('counts advice with --strict alone: %s', async (mode) => {
  const words = ['--only', 'unknown', '--only', 'alive', '--quiet'];
  expect((await certify(mode, words)).exitCode).toBe(0);
  expect((await certify(mode, [...words, '--strict'])).exitCode).toBe(19);
});

it('writes a report for CI, over an older one and over nothing else', async () => {
  const file = join(home.home, 'report.xml');
  const report = (mode: ShopMode, path = file) =>
    certify(mode, ['--only', 'time', '--junit', path, '--quiet']);
  for (const mode of ['right', 'no-time'] as const) await report(mode);
  expect(readFileSync(file, 'utf8')).toContain('tests="7" failures="3" errors="0" skipped="0"');
  writeFileSync(file, 'mine');
  expect([(await report('right')).exitCode, readFileSync(file, 'utf8')]).toEqual([13, 'mine']);
  expect((await report('right', join(home.home, 'no/x.xml'))).exitCode).toBe(16);
});

describe('commands of the user', () => {
  it('know the event, and no secret', async () => {
    const file = join(home.home, 'env');
    await certify('right', ['--only', 'ping', '--quiet', '--given', `env >> '${file}'`, '--effect', probe()]);
    const env = readFileSync(file, 'utf8');
    expect(env).toMatch(/^SVC_REFERENCE=certify-[0-9a-f]{8}$/m);
    expect(env).toMatch(/^SVC_TYPE=payin\.confirmed$/m);
    expect(env).toMatch(/^SVC_AMOUNT=1500\.50$/m);
    expect(env).not.toContain('whsec_');
  });

  it.each([
    ['ends with 3', 'echo no database >&2; exit 3', /--effect ended with 3: no database$/],
    ['is not there', './no-such-program', /--effect ended with 127: .*not found$/],
    ['prints for ever', 'yes', /--effect printed more than 64 KB$/],
  ])('that %s leaves open what rests on it', async (_, effect, why) => {
    const { exitCode, error } = await certify('right', ['--effect', effect, '--quiet']);
    expect(exitCode).toBe(19);
    expect(String(error()['message']).split('\n')[1]).toMatch(why);
  });

  it('that make an operation known and fail leave everything open', async () => {
    const { exitCode, json } = await certify('right', ['--given', 'exit 5', '--effect', probe(), '--quiet']);
    expect(exitCode).toBe(19);
    expect(new Set(casesOf(json()).map(({ status }) => status))).toEqual(new Set(['not_judged']));
  });
});

describe('is refused or ends before anything is judged', () => {
  it.each([
    [['--only', 'nothing'], 2],
    [['--skip', ''], 2],
    [['--jobs', '0'], 2],
    [['--settle', 'soon'], 2],
    [['--effect', ' '], 2],
    [['--to', 'http://192.0.2.1/hooks'], 13],
    [['--live'], 2],
    [['-o', 'csv'], 2],
  ])('%j with %i', async (words, exitCode) => {
    const result = await certify('right', words);
    expect([result.exitCode, result.stdout]).toEqual([exitCode, '']);
  });

  const FAILED = 'The receiver did not pass.\ngood.payin.confirmed: no answer: ';
  const NOBODY = 'The receiver gave no answer: no program listens at 127.0.0.1:3000. Nothing was judged.';
  it.each([
    ['timeout', 'no complete answer within 10000 ms', 19, `${FAILED}none within 10 s`],
    ['reset', 'the connection was cut', 19, `${FAILED}the connection was cut`],
    ['connect', 'no program listens at 127.0.0.1:3000', 11, NOBODY],
  ] as const)('a receiver that gives no answer (%s)', async (reason, why, exit_code, message) => {
    const transport = () => Promise.reject(new NotAnswered(reason, reason !== 'connect', why));
    const { error, stdout, json } = await certify('right', ['--quiet'], { transport });
    expect(error()).toMatchObject({ exit_code, message });
    const open = stdout === '' ? [] : casesOf(json()).filter(({ status }) => status === 'not_judged');
    expect(open).toHaveLength(exit_code === 19 ? 45 : 0);
  });
});

it('stops at once where it is interrupted, and says what is true then', async () => {
  const controller = new AbortController();
  let count = 0;
  const shop = shopTransport('right', SECRET, home.home, home.clock);
  const transport = watched(shop, () => {
    count += 1;
    if (count === 5) controller.abort(new Stopped('SIGINT', 130));
  });
  const { exitCode, stdout, error } = await certify('right', [], { transport, signal: controller.signal });
  expect([exitCode, stdout, count]).toEqual([130, '', 5]);
  const message = 'Stopped by Ctrl-C. The receiver was not judged; some deliveries were sent to it.';
  expect(error()).toMatchObject({ outcome: 'sent', message });
});

it('is shown at a terminal as it goes, and leaves nothing of that', async () => {
  const person = { tty: { stdout: true, stderr: true }, env: { TERM: 'xterm' } };
  const { stderr } = await certify('right', ['--only', 'time'], person);
  expect(stderr).toContain('] 3 of 6   time.');
  expect(stderr.endsWith('\r\u001B[K')).toBe(true);
  expect(existsSync(join(home.home, 'forwarding-secret'))).toBe(false);
});

it.each([
  ['whsec_of_another', SECRET, 0],
  [SECRET, 'whsec_of_another', 19],
])('signs with the secret of --secret-file', async (variable, inFile, exitCode) => {
  const file = join(home.home, 'secret.txt');
  writeFileSync(file, inFile, { mode: 0o600 });
  const env = { SVC_WEBHOOK_SECRET: variable };
  const words = ['--only', 'good', '--secret-file', file];
  expect(await certify('right', words, { env })).toMatchObject({ exitCode });
});

it('sends to another machine only with --allow-remote', async () => {
  const words = ['--only', 'good', '--to', 'https://93.184.216.34/hooks'];
  expect((await certify('right', words)).exitCode).toBe(13);
  expect((await certify('right', [...words, '--allow-remote'])).exitCode).toBe(0);
});
