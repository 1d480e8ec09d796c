/** docs/payroll.md, typed as it stands by somebody with a fresh machine: every line of it does what the page says. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { ROOT } from '../house/source.js';
import { shell, SHELL_COMMAND, type Ended } from '../support/program.js';
import { testFolder } from '../support/test-folder.js';

const PAGE = readFileSync(join(ROOT, 'docs/payroll.md'), 'utf8');

let home: string;
beforeEach(() => {
  home = testFolder();
  // A program, as it is installed: what is killed is the process itself.
  mkdirSync(join(home, 'bin'));
  writeFileSync(join(home, 'bin/svc'), `#!/bin/sh\nexec ${SHELL_COMMAND} "$@"\n`);
  chmodSync(join(home, 'bin/svc'), 0o755);
});

const blocks = (language: string): string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  );
const run = (script: string): Promise<Ended> =>
  shell(`unset -f svc; export PATH="$HOME/bin:$PATH"; cd "$HOME"; ${script}`, home);

/** A line of the page, and what it ends with: the third person of the page is not paid until the row is corrected. */
const ENDS: readonly [line: RegExp, code: number][] = [
  [/--dry-run|sandbox |status|export|forget|kill -9|corrected[.]csv/, 0],
  // The second month is refused without a time.
  [/payroll-2026-10 (?!.*--new-since)/, 13],
  [/payouts batch|batches resume|batches retry/, 3],
];
const endOf = (line: string): number => ENDS.find(([pattern]) => pattern.test(line))![1];

/** The names of the files that the page says to save, in its order. */
const FILES = ['payroll.csv', 'corrected.csv'];

it('works on the sandbox, killed in the middle and all', async () => {
  const files = blocks('csv');
  expect(files).toHaveLength(FILES.length);
  for (const [at, name] of FILES.entries()) {
    expect(PAGE).toContain(`\`${name}\``);
    writeFileSync(join(home, name), files[at]!);
  }
  const lines = blocks('sh').flatMap((block) => block.trimEnd().split('\n'));
  expect(lines.length).toBeGreaterThan(18);
  const script = lines.map((line, at) => `${line}\necho "exit $? of ${String(at)}"`).join('\n');
  const { stdout, stderr } = await run(script);
  const codes = [...stdout.matchAll(/^exit (\d+) of \d+$/gm)].map(([, code]) => Number(code));
  expect(
    codes.map((code, at) => [lines[at], code]),
    stderr,
  ).toEqual(lines.map((line) => [line, endOf(line)]));

  const answers = [...stdout.matchAll(/^\{.*\}$/gm)].map(
    ([text]) => JSON.parse(text) as Record<string, unknown>,
  );
  const about = (name: string): Record<string, unknown>[] => answers.filter(({ batch }) => batch === name);
  const total = /--confirm-total VES:([0-9.]+)/.exec(PAGE)![1];
  expect(about('payroll')).toMatchObject([{ dry_run: true, rows: 3, not_sent: 3 }]);
  const [sent] = about('payroll-2026-09');
  expect(sent).toMatchObject({
    ...{ rows: 3, confirmed: 2, failed: 1, earlier: 0, pending: 0, rejected: 0, unknown: 0, not_sent: 0 },
    totals: { VES: { total, confirmed: '2480.50', failed: '1200.00' } },
  });
  // Every word of the summary that the page names is one of it, and the other way round.
  const named = /ends\s+with one summary: (.*?), in rows/s.exec(PAGE)![1]!.match(/\w+(?=`)/g);
  expect(Object.keys((sent!['totals'] as { VES: object }).VES).filter((word) => word !== 'total')).toEqual(
    named,
  );
  expect(about('corrected')).toMatchObject([{ rows: 1, confirmed: 1 }]);
  // The next month pays the same people once more, and fails the same.
  expect(about('payroll-2026-10')).toMatchObject([{ confirmed: 2, failed: 1, earlier: 0 }]);
  // Killed with a row under way, and whole after one resume.
  const [killed, resumed] = about('rehearsal');
  expect(killed).toMatchObject({ resume_command: 'svc batches resume rehearsal' });
  expect(killed!['unknown']).toBeGreaterThan(0);
  expect(resumed).toMatchObject({ confirmed: 2, failed: 1, unknown: 0, not_sent: 0, resume_command: null });

  // The sandbox was emptied before the rehearsal: in it each person was paid once, whatever broke.
  const { stdout: paid } = await run(
    `svc events list --all --jq 'select(.type == "payout.confirmed") | .data.reference'; wc -l < results.csv`,
  );
  const sorted = paid
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .sort();
  expect(sorted).toEqual(['4', 'emp-0001-2026-09', 'emp-0002-2026-09']);
});

it('prints, where the second month is refused, a line that pays it as it stands, and once', async () => {
  const [file = ''] = blocks('csv');
  writeFileSync(join(home, 'payroll.csv'), file);
  const [first = ''] = blocks('sh')
    .find((block) => block.includes('--batch payroll-2026-09'))!
    .split('\n');
  expect((await run(first)).code).toBe(3);
  await run('svc sandbox clock advance 30d');
  const refused = await run(`${first.replaceAll('2026-09', '2026-10')} --json`);
  expect(refused.code).toBe(13);
  const { error } = JSON.parse(refused.stderr.trimEnd().split('\n').at(-1)!) as {
    error: { message: string; next_command: string };
  };
  expect(error.next_command).toMatch(/ --skip-paid$/);
  const [, another = ''] = /^If you mean another payment: (svc .*)$/m.exec(error.message) ?? [];
  expect((await run(another)).code).toBe(3);
  expect((await run(another)).code).toBe(13);
  const paid = await run(
    `svc events list --all --jq 'select(.type == "payout.confirmed") | .data.reference'`,
  );
  expect(paid.stdout.trim().split('\n').sort()).toEqual([
    ...['emp-0001-2026-09', 'emp-0001-2026-09', 'emp-0002-2026-09', 'emp-0002-2026-09'],
  ]);
});
