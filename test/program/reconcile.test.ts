import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { REPORT_BEGINNING } from '../../src/reconcile/report/document.js';
import { COMMAND, environment } from '../support/program.js';
import { machine, type Machine } from '../support/readme.js';

const LINES = 3000;

/** The ledger is so long that a pipe cannot hold all findings. */
function long(at: Machine): string {
  const lines = Array.from({ length: LINES }, (_, line) => `gone-${String(line)},1.00,VES`);
  at.put('ledger.csv', `reference,amount,currency\n${lines.join('\n')}\n`);
  return 'ledger.csv';
}

function leftBehind(at: Machine): string[] {
  const cache = join(at.home, '.cache/svc');
  const work = existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith('reconcile')) : [];
  return [...work, ...readdirSync(at.home).filter((name) => name.startsWith('.svc-'))];
}

function started(at: Machine, words: readonly string[]): ChildProcess {
  const [program, ...first] = COMMAND;
  const child = spawn(program, [...first, 'reconcile', ...words], {
    cwd: at.home,
    env: environment(at.home),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

it('a disk that is full under the report is 16: nothing is printed, and the one before stands', async () => {
  const at = machine();
  const file = long(at);
  await at.paste('svc events sync');
  const before = await at.paste(`svc reconcile ${file} --report report.html --json | tail -1`);
  expect(before.stderr).toContain('"code":"differs"');
  const held = readFileSync(join(at.home, 'report.html'), 'utf8');
  expect(held.length).toBeGreaterThan(700_000);
  const full = await at.paste(
    `trap '' XFSZ; ulimit -f 500; svc reconcile ${file} --report report.html --json`,
  );
  expect([full.code, full.stdout], full.stderr).toEqual([16, '']);
  expect(full.stderr).toContain('report.html could not be written');
  expect(readFileSync(join(at.home, 'report.html'), 'utf8')).toBe(held);
  expect(leftBehind(at)).toEqual([]);
});

it('a reader that has seen enough ends it without a word', async () => {
  const at = machine();
  const file = long(at);
  const { stdout, stderr } = await at.paste(
    `svc reconcile ${file} --json --quiet | head -1; echo "\${PIPESTATUS[0]}"`,
  );
  expect(stdout.trimEnd().split('\n')).toEqual([expect.stringContaining('"class":"only_here"'), '0']);
  expect(stderr).toBe('');
  expect(leftBehind(at)).toEqual([]);
});

it.each(['SIGINT', 'SIGTERM'] as const)('%s while it prints: its report is whole', async (signal) => {
  const at = machine();
  const child = started(at, [long(at), '--report', 'report.html', '--json']);
  await once(child.stdout!, 'readable');
  child.kill(signal);
  child.stdout!.resume();
  child.stderr!.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code).toBe({ SIGINT: 130, SIGTERM: 143 }[signal]);
  const report = readFileSync(join(at.home, 'report.html'), 'utf8');
  expect(report.startsWith(REPORT_BEGINNING)).toBe(true);
  expect(report.trimEnd().endsWith('</html>')).toBe(true);
  expect(leftBehind(at)).toEqual([]);
});
