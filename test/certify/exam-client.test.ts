import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Stopped } from '../../src/runtime/ports.js';
import { controlCommand } from './controls/exam.js';
import { eachWorld, type Result, type RunOptions } from '../support/svc.js';
import '../support/starting.js';

const home = eachWorld();

const certify = (
  flags: readonly string[],
  command: readonly string[],
  options: RunOptions = {},
): Promise<Result> =>
  home.svc(['certify', 'client', ...flags, '--', ...command], { wire: true, env: ENV, ...options });
const control = controlCommand;
const ENV = { PATH: process.env['PATH'] ?? '', SVC_API_KEY: 'svc_live_real' };
const TABLE = ['-o', 'table'];

describe('a command that is right', () => {
  it('passes, with a report of nothing but that, and says nothing on the way with --quiet', async () => {
    const few = ['--points', '1', '--skip', 'silent', '--skip', 'slow'];
    const { exitCode, stdout, stderr } = await certify([...TABLE, ...few], control(['gives-up.mjs']));
    expect([exitCode, stdout.split('\n')]).toEqual([
      0,
      [
        expect.stringMatching(/^2 clean runs: 1 request, 1 operation, \d+\.\d s each\. \d+ cases\.$/),
        expect.stringMatching(/^Left out by you: 2 cases \(slow:payouts\.create-[0-9a-f]+, silent:payouts\./),
        expect.stringMatching(/^\d+ passed, 0 failed, 0 advice, 0 not judged, \d+(\.\d)? s\. Passed\.$/),
        '',
      ],
    ]);
    expect(stderr).toMatch(/^Clean run 1 of 2\.\nClean run 2 of 2\.\n\d+ cases\.\n10 of \d+ cases\n$/);
    const quiet = [...TABLE, '--quiet', '--only', 'lost-after:'];
    expect((await certify(quiet, control(['gives-up.mjs']))).stderr).toBe('');
  });
});

describe('a command that is wrong', () => {
  it('is shown by its rule, with the conversation, the contract and the line to type', async () => {
    const command = control(['blind-confirm.mjs']);
    const only = ['--only', 'lost', '--jobs', '2', '--before', 'true', '--points', '1'];
    const { exitCode, stdout, stderr } = await certify([...TABLE, ...only], command);
    const id = String(/ {2}(lost-after:payins\.confirm-[0-9a-f]+)\n/.exec(stdout)?.[1]);
    expect(exitCode).toBe(19);
    expect(stdout).toMatch(/^FAILED {2}look-first \(3 cases\) +must, section 4$/m);
    expect(stdout).toMatch(/^ {4}#2 POST payins\.confirm {2}carried out, no answer$/m);
    expect(stdout).toMatch(/^ {4}#3 POST payins\.confirm {2}\d+ ms later, answered 409 code_not_expected$/m);
    expect(stdout).toContain(
      '    "confirm, resend-code and cancel have no key: look the operation up before you repeat one."\n',
    );
    const line = `svc certify client --only ${id} --keep --before true --points 1 -- ${command.join(' ')}`;
    expect(stdout).toContain(`    ${line}\n`);
    expect(stdout).toMatch(/^ {2}also: lost-before, lost-after-look$/m);
    expect(stdout).toMatch(/Not passed \(19\)\.\n$/);
    expect(stderr).toContain('The command did not pass.');
  });

  it('is an object for a script, which names the line to type', async () => {
    const command = control(['blind-confirm.mjs']);
    const result = await certify(['--json', '--only', 'lost-after:payins'], command);
    const { cases, ...report } = result.json() as { cases: Record<string, unknown>[] };
    expect(report).toEqual({
      ...{ exam: 'client', passed: false, command },
      clean: { requests: 3, operations: 1, took_ms: expect.any(Number) as number },
      left_out: expect.arrayContaining([expect.stringContaining('e500:payins.create')]) as unknown,
    });
    const [, confirm] = cases;
    expect(cases).toHaveLength(2);
    expect(confirm).toEqual({
      id: expect.stringMatching(/^lost-after:payins\.confirm-/) as string,
      ...{ severity: 'must', status: 'failed', rule: 'look-first', section: '4', and_so: null },
      why: expect.stringContaining('#2') as string,
      requests: [2, 3],
      repeat: `svc certify client --only ${String(confirm?.['id'])} --keep -- ${command.join(' ')}`,
    });
    expect(result.error()).toMatchObject({
      ...{ code: 'not_certified', exit_code: 19, outcome: 'sent' },
      next_command: confirm?.['repeat'],
    });
  });

  it('fails with --strict for what should be', async () => {
    const only = ['--only', 'members'];
    expect(await certify(only, control(['strict.mjs']))).toMatchObject({ exitCode: 0 });
    expect(await certify([...only, '--strict'], control(['strict.mjs']))).toMatchObject({ exitCode: 19 });
  });

  it('is started again with --rerun, which its line to type has as well', async () => {
    const flags = ['--json', '--rerun', '--only', 'rerun-killed'];
    const { cases } = (await certify(flags, control(['key-per-process.mjs']))).json();
    const repeat = expect.stringContaining(' --keep --rerun -- ') as string;
    expect(cases).toMatchObject([{ rule: 'same-key', repeat }]);
  });
});

it('says what follows from a broken rule beneath it, in each report', async () => {
  const junit = join(home.home, 'report.xml');
  const flags = ['--only', 'lost-after:', '--junit', junit];
  const command = control(['new-key.mjs']);
  const { cases } = (await certify(['--json', ...flags], command)).json() as { cases: object[] };
  expect(cases).toMatchObject([{ rule: 'same-key', and_so: 'paid-once' }]);
  expect(readFileSync(junit, 'utf8')).toContain('\nand so: paid-once\nsvc certify ');
  const { stdout } = await certify([...TABLE, ...flags], command);
  expect(stdout).toContain('\n  and so: paid-once\n');
  expect(stdout).not.toContain('This leads to');
});

describe('--keep', () => {
  it.each([
    [['--keep'], '--keep needs one --only, which names one case. Nothing was run.'],
    [['--keep', '--only', 'lost-after'], '--keep needs one case, and several begin with "lost-after".'],
  ])('needs one case: %j', async (flags, message) => {
    const { exitCode, stderr } = await certify(flags, control(['gives-up.mjs']));
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(JSON.stringify(message).slice(1, -1))]);
  });
});

describe('what cannot be judged', () => {
  it.each([
    ['sends nothing', ['true'], 'No request of the command reached the sandbox.'],
    ['fails', ['sh', '-c', 'echo no; exit 3'], 'ended with exit code 3. It printed at its end: no'],
  ])('a command that %s', async (_, command, why) => {
    const result = await certify(['--json'], command);
    expect(result.exitCode).toBe(19);
    expect(result.json()).toMatchObject({
      ...{ passed: false, clean: null, left_out: [] },
      cases: [{ id: 'clean', status: 'not_judged', why: expect.stringContaining(why) as string }],
    });
    const shown = await certify(TABLE, command);
    expect(shown.stdout).toContain(why);
    expect(shown.stdout).toMatch(/^Nothing was judged\.\nnot judged {2}clean +must\n/);
  });

  it('a command of which every case was left out', async () => {
    const words = ['--only', 'lost-after:', '--skip', 'lost'];
    const result = await certify(['--json', ...words], control(['gives-up.mjs']));
    expect(result.exitCode).toBe(19);
    const { cases, left_out: leftOut } = result.json() as { cases: object[]; left_out: string[] };
    const why = 'You left out every case that this command has.';
    expect(cases).toMatchObject([{ id: 'clean', severity: 'must', status: 'not_judged', why }]);
    expect(leftOut.length).toBeGreaterThan(8);
    const shown = await certify([...TABLE, ...words], control(['gives-up.mjs']));
    expect(shown.stdout).toContain(`\n    ${why}\n`);
    expect(shown.stdout).toContain(`(${leftOut.join(', ')}).\n`);
    expect(shown.stdout).toMatch(/^0 passed, 0 failed, 0 advice, 1 not judged, .*Not passed \(19\)\.$/m);
  });

  it('a command that takes longer than --limit', async () => {
    const result = await certify(['--json', '--limit', '1s'], ['sleep', '60']);
    expect(result.json()).toMatchObject({ cases: [{ why: expect.stringContaining('limit') as string }] });
  });

  it('a command that cannot be prepared', async () => {
    const { exitCode, stdout, stderr } = await certify(['--before', 'echo gone; exit 4'], ['true']);
    expect([exitCode, stdout]).toEqual([19, '']);
    expect(stderr).toContain('The --before command ended with 4');
  });

  it('one that does not exist, and one that is none', async () => {
    expect(await certify([], ['no-such-command'])).toMatchObject({ exitCode: 127, stdout: '' });
    writeFileSync(join(home.home, 'plain'), 'not a program');
    expect(await certify([], [join(home.home, 'plain')])).toMatchObject({ exitCode: 126, stdout: '' });
    expect(await home.svc(['certify', 'client'])).toMatchObject({ exitCode: 2 });
  });
});

it.each([
  [['--points', '0'], '--points must be a whole number from 1 to 1000.'],
  [['--jobs', 'many'], '--jobs must be a whole number from 1 to 64.'],
  [['--limit', '5'], '--limit must be a duration, for example 30s, 5m, 48h or 2d. Nothing was run.'],
  [['--before', ' '], '--before must be a command.'],
  [['--only', 'lost-it'], '--only: no case begins with '],
  [['--skip', ''], '--skip: no case begins with '],
])('runs nothing with %j', async (flags, message) => {
  const ran = join(home.home, 'ran');
  const { exitCode, stdout, stderr } = await certify(flags, ['touch', ran]);
  expect([exitCode, stdout, existsSync(ran)]).toEqual([2, '', false]);
  expect(stderr).toContain(message);
});

it('says which cases a command has where it has none of those that are asked for', async () => {
  const { exitCode, stderr } = await certify(['--only', 'expired'], control(['gives-up.mjs']));
  expect(exitCode).toBe(2);
  expect(stderr).toContain('this command has no case that begins with');
  expect(stderr).toContain('lost-after:payouts.create-');
});

it('ends with the signal that it gets, and leaves nothing running', async () => {
  const stop = new AbortController();
  const ready = join(home.home, 'ready');
  const ended = certify([], ['sh', '-c', `echo $$ > '${ready}'; sleep 60`], { signal: stop.signal });
  const pid = (): string => (existsSync(ready) ? readFileSync(ready, 'utf8') : '');
  await expect.poll(pid).toMatch(/\n$/);
  stop.abort(new Stopped('SIGTERM', 143));
  expect(await ended).toMatchObject({ exitCode: 143, stdout: '' });
  const status = `/proc/${pid().trim()}/status`;
  const isGone = (): boolean => !existsSync(status) || /^State:\s+Z/m.test(readFileSync(status, 'utf8'));
  await expect.poll(isGone).toBe(true);
});
