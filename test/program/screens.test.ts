import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { csv, fileIn, people } from '../support/payroll.js';
import { debitOtp, incomingMobile } from '../support/requests.js';
import { eachWorld } from '../support/svc.js';

const home = eachWorld();

const TTY = { stdin: true, stdout: true, stderr: true };

it('what is wrong in a payroll is listed once, a problem a line', async () => {
  const file = join(home.home, 'pay.csv');
  writeFileSync(file, 'reference,amount,currency\na,1.505,VES\nb,x,VES\n');
  const { exitCode, stderr } = await home.svc(['payouts', 'batch', file, '--batch', 'pay'], { tty: TTY });
  expect(exitCode).toBe(14);
  expect(stderr).not.toContain('\\n');
  const lines = stderr.split('\n').filter((line) => /^ +line \d/.test(line));
  expect(lines.length).toBeGreaterThan(1);
  expect(new Set(lines).size).toBe(lines.length);
  expect(lines.every((line) => line.length <= 80)).toBe(true);
  expect(stderr).not.toMatch(/: invalid$/m);
});

describe('after a create', () => {
  const idIn = (text: string): string => /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)?.[0] ?? '';
  const nextIn = (text: string): string[] => (/^Next: svc (.*)$/m.exec(text)?.[1] ?? '').split(' ');

  it('of a pay-in by code a person reads what comes next, and which code the sandbox takes', async () => {
    const { stdout, stderr } = await home.svc(debitOtp(), { tty: TTY, env: { NO_COLOR: '1' } });
    expect(stderr).toContain(`\nNext: svc payins confirm ${idIn(stdout)}\n`);
    const code = /sandbox the code is (\d+)/.exec(stderr)?.[1] ?? '';
    const confirmed = await home.svc([...nextIn(stderr), '--code', code], { tty: TTY });
    expect(confirmed).toMatchObject({ exitCode: 0 });
    expect(confirmed.stdout).toContain('confirmed: paid');
    expect(confirmed.stderr).not.toContain('Next: ');
  });

  it('of an incoming one: where the payer sends the money, and the line that lets it arrive', async () => {
    const { stdout, stderr } = await home.svc(incomingMobile('10.00'), { tty: TTY, env: { NO_COLOR: '1' } });
    expect(stderr).toMatch(
      /The payer sends 10\.00 VES to this account:\n {2}Bank +0134\n {2}Phone +04141234567\n/,
    );
    expect(await home.svc(nextIn(stderr))).toMatchObject({ exitCode: 0 });
    expect((await home.svc(['payins', 'get', idIn(stdout)])).json()).toMatchObject({ status: 'confirmed' });
  });

  it.each<[object, string[]]>([
    ...[{ stdin: true, stderr: true }, { stdin: true, stdout: true }, {}].map((tty): [object, []] => [
      tty,
      [],
    ]),
    [TTY, ['--quiet']],
  ])('a script reads nothing of it, nor who wants it quiet: %j %j', async (tty, flags) =>
    expect((await home.svc([...debitOtp(), ...flags], { tty })).stderr).not.toContain('Next: '),
  );
});

it('a batch is summed up in one small table: state, rows, money', async () => {
  const file = fileIn(home.home, 'pay.csv', csv(people(3)));
  const { stdout } = await home.svc(['payouts', 'batch', file], { tty: TTY, env: { NO_COLOR: '1' } });
  expect(stdout).toBe(
    [
      ...['Environment  sandbox', 'Batch        pay', '', 'State        Rows     VES'],
      ...['✓ confirmed     3  304.50', 'total           3  304.50', ''],
    ].join('\n'),
  );
});

it('doctor says each thing once', async () => {
  const env = { SVC_API_KEY: 'svc_test_abcdefgh12345678', NO_COLOR: '1' };
  const { exitCode, stdout, stderr } = await home.svc('doctor', { tty: TTY, env });
  expect(exitCode).not.toBe(0);
  const [, what = ''] = /^✗ error +settings +(.{20})/m.exec(stdout) ?? [];
  expect(what).not.toBe('');
  expect(stderr).not.toContain(what);
  expect(stderr).toContain('Problems: settings.');
  expect((await home.svc('doctor', { env })).error()['message']).toContain(what);
});
