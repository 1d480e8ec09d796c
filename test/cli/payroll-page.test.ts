/** docs/payroll.md, typed as it stands by somebody with a fresh machine: every line of it does what the page says. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ROOT } from '../house/source.js';
import { PROGRAM, shell, type Ended } from '../support/program.js';

const PAGE = readFileSync(join(ROOT, 'docs/payroll.md'), 'utf8');

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-payroll-'));
  // A program, as it is installed: what is killed is the process itself.
  mkdirSync(join(home, 'bin'));
  writeFileSync(join(home, 'bin/svc'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  chmodSync(join(home, 'bin/svc'), 0o755);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const blocks = (language: string): string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  );
const run = (script: string): Promise<Ended> =>
  shell(`unset -f svc; export PATH="$HOME/bin:$PATH"; cd "$HOME"; ${script}`, home);

/** What a line ends with, where that is not 0: the third person of the page is not paid. */
const ENDS: readonly [line: RegExp, code: number][] = [
  [/--dry-run|sandbox fault|status|export|kill -9/, 0],
  [/payouts batch|batches resume|batches retry/, 3],
];
const endOf = (line: string): number => ENDS.find(([pattern]) => pattern.test(line))![1];

it('works on the sandbox, killed in the middle and all', async () => {
  const [file = ''] = blocks('csv');
  writeFileSync(join(home, 'payroll.csv'), file);
  const lines = blocks('sh').flatMap((block) => block.trimEnd().split('\n'));
  expect(lines.length).toBeGreaterThan(8);
  const script = lines.map((line) => `${line}\necho "exit $? of ${String(lines.indexOf(line))}"`).join('\n');
  const { stdout, stderr } = await run(script);
  const codes = [...stdout.matchAll(/^exit (\d+) of \d+$/gm)].map(([, code]) => Number(code));
  expect(codes, stderr).toEqual(lines.map(endOf));

  const answers = [...stdout.matchAll(/^\{.*\}$/gm)].map(
    ([text]) => JSON.parse(text) as Record<string, unknown>,
  );
  const about = (name: string): Record<string, unknown>[] => answers.filter(({ batch }) => batch === name);
  expect(about('payroll')).toMatchObject([{ dry_run: true, rows: 3, not_sent: 3 }]);
  expect(about('payroll-2026-09').at(-1)).toMatchObject({
    ...{ rows: 3, confirmed: 2, failed: 1, unknown: 0, not_sent: 0 },
    totals: { VES: { total: /--confirm-total VES:([0-9.]+)/.exec(PAGE)![1], confirmed: '2480.50' } },
  });
  // Killed with a row under way, and whole after one resume.
  const [killed, resumed] = about('rehearsal');
  expect(killed).toMatchObject({ resume_command: 'svc batches resume rehearsal' });
  expect(killed!['unknown']).toBeGreaterThan(0);
  expect(resumed).toMatchObject({ confirmed: 2, failed: 1, unknown: 0, not_sent: 0, resume_command: null });

  // Two batches that were meant to pay the same people: each person once in each, whatever broke.
  const { stdout: paid } = await run(
    `svc events list --all --jq 'select(.type == "payout.confirmed") | .data.reference'; wc -l < results.csv`,
  );
  const [first, second] = ['emp-0001-2026-09', 'emp-0002-2026-09'];
  expect(
    paid
      .trim()
      .split('\n')
      .map((line) => line.trim())
      .sort(),
  ).toEqual(['4', first, first, second, second]);
}, 90_000);
