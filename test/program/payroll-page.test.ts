import { expect, it } from 'vitest';
import { blocksOf, machine, pageOf } from '../support/readme.js';

const PAGE = pageOf('docs/payroll.md');

const ENDS: readonly [line: RegExp, code: number][] = [
  [/--dry-run|sandbox |status|export|forget|kill -9|corrected[.]csv/, 0],
  // The second month is refused without --new-since.
  [/payroll-2026-10 (?!.*--new-since)/, 13],
  [/payouts batch|batches resume|batches retry/, 3],
];
const endOf = (line: string): number => ENDS.find(([pattern]) => pattern.test(line))![1];

const FILES = ['payroll.csv', 'corrected.csv'];

it('works on the sandbox, killed in the middle and all', async () => {
  const at = machine();
  const files = blocksOf('csv', PAGE);
  expect(files).toHaveLength(FILES.length);
  for (const [index, name] of FILES.entries()) {
    expect(PAGE).toContain(`\`${name}\``);
    at.put(name, files[index]!);
  }
  const lines = blocksOf('sh', PAGE).flatMap((block) => block.trimEnd().split('\n'));
  expect(lines.length).toBeGreaterThan(18);
  const script = lines.map((line, at) => `${line}\necho "exit $? of ${String(at)}"`).join('\n');
  const { stdout, stderr } = await at.paste(script);
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
  const named = /ends\s+with one summary: (.*?), in rows/s.exec(PAGE)![1]!.match(/\w+(?=`)/g);
  expect(Object.keys((sent!['totals'] as { VES: object }).VES).filter((word) => word !== 'total')).toEqual(
    named,
  );
  expect(about('corrected')).toMatchObject([{ rows: 1, confirmed: 1 }]);
  expect(about('payroll-2026-10')).toMatchObject([{ confirmed: 2, failed: 1, earlier: 0 }]);
  const [killed, resumed] = about('rehearsal');
  expect(killed).toMatchObject({ resume_command: 'svc batches resume rehearsal' });
  expect(killed!['unknown']).toBeGreaterThan(0);
  expect(resumed).toMatchObject({ confirmed: 2, failed: 1, unknown: 0, not_sent: 0, resume_command: null });

  const { stdout: paid } = await at.paste(
    `svc events list --all --jq 'select(.type == "payout.confirmed") | .data.reference'; wc -l < results.csv`,
  );
  expect(paid.trim().split(/\s+/).sort()).toEqual(['4', 'emp-0001-2026-09', 'emp-0002-2026-09']);
});

it('prints, where the second month is refused, a line that pays it as it stands, and once', async () => {
  const at = machine();
  const [file = ''] = blocksOf('csv', PAGE);
  at.put('payroll.csv', file);
  const sent = blocksOf('sh', PAGE).find((block) => block.includes('--batch payroll-2026-09'))!;
  const [first = ''] = sent.split('\n');
  expect((await at.paste(first)).code).toBe(3);
  await at.paste('svc sandbox clock advance 30d');
  const refused = await at.paste(`${first.replaceAll('2026-09', '2026-10')} --json`);
  expect(refused.code).toBe(13);
  const { error } = JSON.parse(refused.stderr.trimEnd().split('\n').at(-1)!) as {
    error: { message: string; next_command: string };
  };
  expect(error.next_command).toMatch(/ --skip-paid$/);
  const [, another = ''] = /^If you mean another payment: (svc .*)$/m.exec(error.message) ?? [];
  expect((await at.paste(another)).code).toBe(3);
  expect((await at.paste(another)).code).toBe(13);
  const paid = await at.paste(
    `svc events list --all --jq 'select(.type == "payout.confirmed") | .data.reference'`,
  );
  expect(paid.stdout.trim().split('\n').sort()).toEqual([
    ...['emp-0001-2026-09', 'emp-0001-2026-09', 'emp-0002-2026-09', 'emp-0002-2026-09'],
  ]);
});
