/** `svc certify receiver`: its report in each form, its exit codes, what it refuses, and the lines that it prints to type. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stopped } from '../../../src/runtime/ports.js';
import { NotAnswered, type Transport } from '../../../src/runtime/transport.js';
import type { ShopMode } from '../../certify/controls/receivers/shop.js';
import { PROBE, shopTransport } from '../../certify/support/shop-transport.js';
import { world, type RunOptions, type World } from '../../support/svc.js';
import '../../support/starting.js';

const SECRET = 'whsec_of_the_shop';
const TO = ['--to', 'http://127.0.0.1:3000/hooks'];

let home: World;
beforeEach(() => {
  home = world();
});
afterEach(() => home.remove());

async function certify(mode: ShopMode, words: readonly string[], options: RunOptions = {}) {
  const transport = shopTransport(mode, SECRET, home.home, home.clock);
  const env = { SVC_WEBHOOK_SECRET: SECRET, ...options.env };
  const to = words.includes('--to') ? [] : TO;
  return home.svc(['certify', 'receiver', ...to, ...words], { transport, ...options, env });
}

/** The command line of a probe; its folder may be named as badly as folders are. */
function probe(): string {
  const path = join(home.home, 'state');
  writeFileSync(path, PROBE, { mode: 0o755 });
  return `'${path}'`;
}

interface Case {
  readonly id: string;
  readonly status: string;
  readonly repeat: string | null;
}
const casesOf = (json: Record<string, unknown>): Case[] => json['cases'] as Case[];

it('passes a right receiver, and says so on standard output alone', async () => {
  const { exitCode, json, stderr } = await certify('right', ['--effect', probe(), '--quiet']);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(json()).toMatchObject({
    ...{ exam: 'receiver', passed: true, command: null, clean: null, left_out: [] },
  });
  expect(casesOf(json())).toHaveLength(44);
  expect(new Set(casesOf(json()).map(({ status }) => status))).toEqual(new Set(['passed']));
});

it('shows what failed, what that explains, and what it comes to', async () => {
  const { exitCode, stdout, stderr } = await certify('no-time', ['--effect', probe()], {
    tty: { stdout: true },
  });
  expect(exitCode).toBe(19);
  expect(stdout).toMatch(/^Receiver http:\/\/127\.0\.0\.1:3000\/hooks\. An effect takes \d+ ms\.\n/);
  expect(stdout).toMatch(
    /\nFAILED {2}time\.old-310 +must, section 6 \(2\)\n {2}answered 200, but it must refuse this delivery\n {2}svc certify /,
  );
  expect(stdout).toMatch(/\n {2}and so: time\.ahead-310, time\.malformed\n/);
  expect(stdout).toMatch(/\n41 passed, 3 failed, 0 advice, 0 not judged, .* s\. Not passed \(19\)\.\n$/);
  expect(stderr).toBe(
    '10 of 44 cases\n20 of 44 cases\n30 of 44 cases\n40 of 44 cases\nError: The receiver did not pass.\n',
  );
});

it('tells a script in the error what failed, with the line to type', async () => {
  const { error } = await certify('no-time', ['--effect', probe(), '--quiet']);
  expect(error()).toMatchObject({ code: 'not_certified', exit_code: 19 });
  expect(error()['message']).toBe(
    'The receiver did not pass.\ntime.old-310: answered 200, but it must refuse this delivery',
  );
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

describe('--only', () => {
  it('runs the gate and those cases', async () => {
    const { json } = await certify('right', ['--only', 'time.', '--quiet']);
    const ids = casesOf(json()).map(({ id }) => id);
    expect(ids[0]).toBe('good.payin.confirmed');
    expect(ids.slice(1).every((id) => id.startsWith('time.'))).toBe(true);
    expect(ids).toHaveLength(7);
  });

  it('of a printed line runs again what it was printed for, whatever its values are', async () => {
    const effect = `printf '%s' "it's -- $SVC_OPERATION_ID" > /dev/null; ${probe()}`;
    const { json } = await certify('accepts-all', [
      '--effect',
      effect,
      '--settle',
      '2s',
      '--strict',
      '--quiet',
    ]);
    const line = casesOf(json()).find(({ id }) => id === 'forged.byte')?.repeat ?? '';
    const typed = [...line.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(([, quoted, plain]) =>
      quoted === undefined ? (plain ?? '') : quoted.replaceAll(`'\\''`, `'`),
    );
    const again = await home.svc(typed.slice(1), {
      transport: shopTransport('accepts-all', SECRET, home.home, home.clock),
      env: { SVC_WEBHOOK_SECRET: SECRET },
    });
    expect(again.exitCode).toBe(19);
    expect(casesOf(again.json()).map(({ id }) => id)).toEqual(['good.payin.confirmed', 'forged.byte']);
    expect(line).toContain('--settle 2s');
  });
});

it('counts advice with --strict alone', async () => {
  const words = ['--only', 'unknown', '--quiet'];
  expect((await certify('unknown-400', words)).exitCode).toBe(0);
  expect((await certify('unknown-400', [...words, '--strict'])).exitCode).toBe(19);
});

it('writes a report for CI, over an older one and over nothing else', async () => {
  const file = join(home.home, 'report.xml');
  for (const mode of ['right', 'no-time'] as const) {
    await certify(mode, ['--only', 'time', '--junit', file, '--quiet']);
  }
  expect(readFileSync(file, 'utf8')).toContain('tests="7" failures="3" errors="0" skipped="0"');
  writeFileSync(file, 'mine');
  const refused = await certify('right', ['--only', 'time', '--junit', file, '--quiet']);
  expect([refused.exitCode, readFileSync(file, 'utf8')]).toEqual([13, 'mine']);
  const nowhere = await certify('right', [
    '--only',
    'time',
    '--junit',
    join(home.home, 'no/x.xml'),
    '--quiet',
  ]);
  expect(nowhere.exitCode).toBe(16);
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
    [['--to', 'https://shop.example/hooks'], 13],
    [['--to', 'nonsense'], 2],
    [['--live'], 2],
    [['-o', 'csv'], 2],
  ])('%j with %i', async (words, exitCode) => {
    const result = await certify('right', words);
    expect([result.exitCode, result.stdout]).toEqual([exitCode, '']);
  });

  it.each([
    ['timeout', 'no complete answer within 10000 ms', 'no answer: none within 10 s'],
    ['reset', 'the connection was cut', 'no answer: the connection was cut'],
  ] as const)(
    'a receiver that is there and does not answer (%s) has failed',
    async (reason, message, why) => {
      const transport = () => Promise.reject(new NotAnswered(reason, true, message));
      const { exitCode, error, json } = await certify('right', ['--quiet'], { transport });
      expect([exitCode, error()['message']]).toEqual([
        19,
        `The receiver did not pass.\ngood.payin.confirmed: ${why}`,
      ]);
      expect(casesOf(json()).filter(({ status }) => status === 'not_judged')).toHaveLength(43);
    },
  );

  it('where no receiver listens: 11', async () => {
    const transport = () =>
      Promise.reject(new NotAnswered('connect', false, 'no program listens at 127.0.0.1:3000'));
    const { exitCode, error } = await certify('right', ['--quiet'], { transport });
    expect([exitCode, error()['message']]).toEqual([
      11,
      'The receiver gave no answer: no program listens at 127.0.0.1:3000. Nothing was judged.',
    ]);
  });
});

it('stops at once where it is interrupted, and says what is true then', async () => {
  const controller = new AbortController();
  let count = 0;
  const shop = shopTransport('right', SECRET, home.home, home.clock);
  const transport: Transport = async (request, options) => {
    count += 1;
    if (count === 5) controller.abort(new Stopped('SIGINT', 130));
    return shop(request, options);
  };
  const { exitCode, stdout, error } = await certify('right', [], { transport, signal: controller.signal });
  expect([exitCode, stdout, count]).toEqual([130, '', 5]);
  expect(error()['message']).toBe(
    'Stopped by SIGINT. The receiver was not judged; some deliveries were sent to it.',
  );
  expect(error()['outcome']).toBe('sent');
});

it('is shown at a terminal as it goes, and leaves nothing of that', async () => {
  const { stderr } = await certify('right', ['--only', 'time'], {
    tty: { stdout: true, stderr: true },
    env: { TERM: 'xterm' },
  });
  expect(stderr).toContain('] 3 of 6   time.');
  expect(stderr.endsWith('\r\u001B[K')).toBe(true);
  expect(existsSync(join(home.home, 'forwarding-secret'))).toBe(false);
});

it('signs with the secret of --secret-file', async () => {
  const file = join(home.home, 'secret.txt');
  writeFileSync(file, SECRET, { mode: 0o600 });
  const words = ['--only', 'good', '--secret-file', file];
  expect((await certify('right', words, { env: { SVC_WEBHOOK_SECRET: 'whsec_of_another' } })).exitCode).toBe(
    0,
  );
  writeFileSync(file, 'whsec_of_another', { mode: 0o600 });
  expect((await certify('right', words)).exitCode).toBe(19);
});

it('sends to another machine only with --allow-remote', async () => {
  const words = ['--only', 'good', '--to', 'https://93.184.216.34/hooks'];
  expect((await certify('right', words)).exitCode).toBe(13);
  expect((await certify('right', [...words, '--allow-remote'])).exitCode).toBe(0);
});
