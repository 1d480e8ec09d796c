import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { FINDING_CLASSES } from '../../src/reconcile/finding.js';
import { widthOf } from '../../src/output/width.js';
import { eachWorld } from '../support/svc.js';
import { feed, idOf, ledger, linesOf, paid, reconcile } from './given-lines.js';

const home = eachWorld('2026-09-02T08:00:00Z');

const ONE = ['pay-1,1.50'];
const one = (rows: readonly string[] = ONE, words: readonly string[] = [], header?: string) =>
  reconcile(home, feed([paid({ number: 1 })]), [ledger(home, rows, header), ...words]);

const side = (count: number, amount: string) => ({ count, amount });
const totalOf = (here: object, there: object, others: object = {}) => ({
  ...{ currency: 'VES', here, there, pending: side(0, '0.00'), failed: side(0, '0.00') },
  ...others,
});

describe('where all agree', () => {
  it('ends with 0, lists nothing, and says so in the summary', async () => {
    const path = ledger(home, ['pay-1,1.50', 'pay-2,2.50']);
    const events = [paid({ number: 1 }), paid({ number: 2 }), paid({ number: 3, status: 'failed' })];
    const result = await reconcile(home, feed(events), [path]);
    expect(result.exitCode, result.stderr).toBe(0);
    expect(linesOf(result)).toEqual({
      findings: [],
      summary: {
        ...{ agrees: true, lines: 2, operations: 2, outside: { lines: 0, operations: 0 }, failed: 1 },
        ...{ skipped: 0, within_tolerance: 0, from: null, to: null, known_until: '2026-09-01T12:00:00Z' },
        sums: [{ class: 'matched', currency: 'VES', here: side(2, '4.00'), there: side(2, '4.00') }],
        totals: [totalOf(side(2, '4.00'), side(2, '4.00'))],
      },
    });
    expect(result.stderr).toContain('Your file and the service agree: 2 lines and 2 operations.');
  });

  it('says what it took for no payment, in the summary too', async () => {
    const result = await one([...ONE, 'Total,1.50']);
    expect(result.exitCode, result.stderr).toBe(0);
    const said = 'Left out, because it holds no payment: line 3 (looks like a total: "Total 1.50").';
    expect(result.stderr).toContain(said);
    expect(linesOf(result).summary).toMatchObject({ lines: 1, skipped: 1 });
  });

  it('lists them where that is asked for', async () => {
    const { findings } = linesOf(await one(ONE, ['--all']));
    expect(findings).toMatchObject([{ class: 'matched', by: 'reference', here: [{ line: 2 }] }]);
  });

  it('shows before how the file is read, and the flags that say it; --quiet does not', async () => {
    const { stderr } = await one();
    expect(stderr).toContain('reference is "reference", amount is "amount"');
    expect(stderr).toContain('To set this yourself: --map reference=reference,amount=amount');
    expect((await one(ONE, ['--quiet'])).stderr).toBe('');
  });
});

async function differing(words: readonly string[] = [], options = {}) {
  const twice = ['pay-5,5.50', 'pay-5,5.50'];
  const path = ledger(home, ['pay-1,1.50', 'pay-2,9.99', 'pay-3,3.50', ...twice, "-it's mine,7.00"]);
  const events = [...[1, 2, 5, 6].map((number) => paid({ number })), paid({ number: 3, status: 'failed' })];
  return reconcile(home, feed(events), [path, ...words], options);
}

describe('where something differs', () => {
  it('ends with 18, with every finding and the summary on standard output', async () => {
    const result = await differing(['--json']);
    expect(result.exitCode).toBe(18);
    const { findings, summary } = linesOf(result);
    const kinds = ['duplicate_here', 'status_differs', 'amount_differs', 'only_here', 'only_there'];
    expect(findings.map(({ class: kind }) => kind)).toEqual(kinds);
    const paidOut = { direction: 'payout', status: 'confirmed' };
    const same = { reference: 'pay-2', bank_reference: null, currency: 'VES' };
    expect(findings[2]).toEqual({
      ...{ class: 'amount_differs', by: 'reference', detail: '7.49 VES more in your file' },
      here: [{ ...same, line: 3, id: null, direction: null, amount: '9.99', date: null }],
      there: [{ ...same, ...paidOut, id: idOf(2), amount: '2.50', date: '2026-09-01' }],
      ...{ beside: null, tolerances: [], suggestion: null },
      next_command: `svc transactions get ${idOf(2)}`,
    });
    expect(summary).toMatchObject({ agrees: false, lines: 6, operations: 5 });
    const ended = { code: 'differs', exit_code: 18, outcome: 'not_sent', retryable: false };
    expect(result.error()).toMatchObject(ended);
  });

  it('has sums that are both sides, to the last digit', async () => {
    const { summary } = linesOf(await differing(['--json']));
    const total = totalOf(side(6, '32.99'), side(4, '16.00'), { failed: side(1, '3.50') });
    expect(summary['totals']).toEqual([total]);
    const classes = (summary['sums'] as { class: string }[]).map(({ class: kind }) => kind);
    expect(classes).toEqual(FINDING_CLASSES.filter((kind) => classes.includes(kind)));
  });

  it('leads to the same service', async () => {
    const words = ['--json', '--sandbox', '--base-url', 'http://localhost:4010'];
    const next = linesOf(await differing(words)).findings.map((one) => one['next_command']);
    expect(next).toContain(`svc transactions get --base-url http://localhost:4010 --sandbox ${idOf(2)}`);
  });

  it('filters the findings and the summary with --jq', async () => {
    const { stdout, exitCode } = await differing(['--jq', '.class // .agrees']);
    expect(stdout.split('\n').slice(-3)).toEqual(['only_there', 'false', '']);
    expect(exitCode).toBe(18);
  });

  it('prints csv that no spreadsheet takes for formulas', async () => {
    const { stdout, exitCode } = await one(['=HYPERLINK(1),1.00'], ['-o', 'csv']);
    expect(exitCode).toBe(18);
    const rows = parse<Record<string, string>>(stdout, { columns: true });
    expect(rows).toMatchObject([
      { class: 'only_here', line: '2', here_reference: "'=HYPERLINK(1)", here_amount: '1.00', status: '' },
      { class: 'only_there', line: '', there_id: idOf(1), status: 'confirmed', there_amount: '1.50' },
    ]);
  });

  it('prints a header where there is no finding', async () => {
    const { stdout } = await one(ONE, ['-o', 'csv']);
    expect(stdout).toMatch(/^class,by,line,here_id,.*,next_command\n$/);
  });
});

describe('at a terminal', () => {
  const tty = { stdout: true, stderr: true };
  it.each([80, 60])(
    'is a table that fits %i columns, with one line to paste for each class',
    async (columns) => {
      const { stdout, stderr, exitCode } = await differing(['--no-color'], { tty, columns });
      expect(exitCode).toBe(18);
      for (const line of stdout.split('\n'))
        if (!line.startsWith('Next: ')) expect(widthOf(line), line).toBeLessThanOrEqual(columns);
      expect(stdout).toMatch(/^Twice in your file\n/);
      expect(stdout).toMatch(/^Only in your file\n/m);
      expect(stdout).toMatch(/^✗ only in the service +0 /m);
      expect(stdout).toContain(`Next: svc transactions get ${idOf(2)}\n`);
      expect(stdout.match(/\bsvc /g)).toHaveLength(stdout.match(/^Line /gm)?.length ?? 0);
      expect(stdout).toMatch(/total +6 +32\.99 VES +4 +16\.00 VES\ntotal failed +1 +3\.50 VES/);
      expect(stderr).toContain('Your file and the service differ');
    },
  );

  it('prints one line to type for findings of a kind, however many, and JSON has one on each', async () => {
    const rows = Array.from({ length: 250 }, (_, at) => `none-${String(at)},1.00`);
    const words = [ledger(home, rows), '--currency', 'VES'];
    const shown = await reconcile(home, feed([]), [...words, '--no-color'], { tty });
    expect(shown.stdout.match(/\bsvc /g)).toHaveLength(1);
    expect(shown.stdout.match(/none-\d+/g)?.length).toBeGreaterThanOrEqual(250);
    const { stdout } = await reconcile(home, feed([]), [...words, '--json']);
    expect(stdout.match(/"next_command":"svc operations find -- none-\d+"/g)).toHaveLength(250);
  });
});

describe('what is overlooked', () => {
  const LATER = ['pay-1,1.51,03/09/2026'];
  const FORMAT = ['--date-format', 'DD/MM/YYYY'];
  const HEADER = 'reference,amount,date';

  it('is said of what needed it', async () => {
    const words = ['--tolerance', 'VES:0.01', '--days', '2', '--all', ...FORMAT];
    const result = await one(LATER, words, HEADER);
    expect(result.exitCode).toBe(0);
    const { findings, summary } = linesOf(result);
    expect(findings).toMatchObject([{ class: 'matched', tolerances: ['VES:0.01', '2 days'] }]);
    expect(summary).toMatchObject({ within_tolerance: 1 });
    expect(result.stderr).toContain('1 line matched within a tolerance: --all lists them.');
  });

  it.each([
    [['--tolerance', 'VES'], '--tolerance is a currency and an amount'],
    [['--tolerance', 'VES:-1'], '--tolerance is a currency and an amount'],
    [['--tolerance', 'VES:1', '--tolerance', 'ves:2'], '--tolerance names VES twice'],
    [['--fee', 'VES:100%'], '--fee is a currency and a share below 100%'],
    [['--fee', 'VES:a'], '--fee is a currency'],
    [['--days', '-1'], '--days must be a whole number'],
    [['--days', '1.5'], '--days must be a whole number'],
    [['--from', '2026-02-30'], '--from is a day such as'],
    [['--to', '01/02/2026'], '--to is a day such as'],
    [['--from', '2026-02-02', '--to', '2026-02-01'], '--from is after --to'],
    [['--currency', 'VE'], '--currency is a currency'],
    [['--direction', 'sideways'], 'use payin or payout'],
    [['--save-map', '../x'], '--save-map takes a name'],
    [['-o', 'xml'], '--output'],
  ])('%j is refused before anything is asked', async (words, says) => {
    let asked = 0;
    const transport = feed([], () => ((asked += 1), undefined));
    const result = await reconcile(home, transport, [ledger(home, LATER, HEADER), ...FORMAT, ...words]);
    expect([result.exitCode, asked]).toEqual([2, 0]);
    expect(result.stderr).toContain(says);
    expect(result.stdout).toBe('');
  });
});

describe('days and directions', () => {
  it('cut both sides', async () => {
    const path = ledger(home, ['pay-1,1.50,2026-09-01', 'late,4.00,2026-09-09'], 'reference,amount,date');
    const events = [paid({ number: 1 }), paid({ number: 8, data: { confirmed_at: '2026-09-08T10:00:00Z' } })];
    const failed = paid({ number: 2, status: 'failed' });
    const transport = feed([...events, failed]);
    const result = await reconcile(home, transport, [path, '--from', '2026-09-01', '--to', '2026-09-02']);
    expect(result.exitCode, result.stderr).toBe(0);
    expect(result.stderr).toContain(
      'Not compared: 1 line and 1 operation outside the days or direction you asked for, 1 failed operation that your file does not name.',
    );
    const cut = { lines: 1, operations: 1, outside: { lines: 1, operations: 1 }, from: '2026-09-01' };
    expect(linesOf(result).summary).toMatchObject(cut);
  });

  it('are those of whoever reads, or of UTC', async () => {
    const path = ledger(home, ['pay-1,1.50,2026-08-31'], 'reference,amount,date');
    const events = [paid({ number: 1, data: { confirmed_at: '2026-09-01T02:00:00Z' } })];
    const zone = { offsetMinutes: () => -240 };
    expect((await reconcile(home, feed(events), [path], { zone })).exitCode).toBe(0);
    expect((await reconcile(home, feed(events), [path, '--utc'], { zone })).exitCode).toBe(18);
  });

  it('--direction compares only those, and takes lines that say none for such', async () => {
    const path = ledger(home, ['pay-1,1.50,', 'other,4.00,payin'], 'reference,amount,direction');
    const events = [paid({ number: 1 }), paid({ number: 2 }).replaceAll('payout', 'payin')];
    const result = await reconcile(home, feed(events), [path, '--direction', 'payout', '--all']);
    expect(result.exitCode, result.stderr).toBe(0);
    const { findings, summary } = linesOf(result);
    expect(findings).toMatchObject([{ class: 'matched', here: [{ direction: 'payout' }] }]);
    expect(summary).toMatchObject({ lines: 1, operations: 1, outside: { lines: 1, operations: 1 } });
  });

  it('--direction does not make a payout of a positive line where payouts are negative', async () => {
    const path = ledger(home, ['pay-1,-1.50', 'pay-2,2.50']);
    const events = [paid({ number: 1 }), paid({ number: 2 })];
    const result = await reconcile(home, feed(events), [path, '--direction', 'payout']);
    expect(result.exitCode, result.stderr).toBe(18);
    const { findings, summary } = linesOf(result);
    expect(findings).toMatchObject([{ class: 'only_there', there: [{ reference: 'pay-2' }] }]);
    expect(summary).toMatchObject({ lines: 1, outside: { lines: 1, operations: 0 } });
    const words = [path, '--direction', 'payin', '--currency', 'VES'];
    const here = [{ reference: 'pay-2', direction: 'payin' }];
    const payins = linesOf(await reconcile(home, feed(events), words));
    expect(payins.findings).toMatchObject([{ class: 'only_here', here }]);
  });
});

describe('a map', () => {
  it('is kept under a name, and reads the next file', async () => {
    writeFileSync(join(home.home, 'bank.csv'), 'Ref;Importe\npay-1;1,50\n');
    const bank = join(home.home, 'bank.csv');
    const first = ['--map', 'reference=Ref,amount=Importe', '--decimal', 'comma', '--save-map', 'bank'];
    const kept = await reconcile(home, feed([paid({ number: 1 })]), [bank, ...first]);
    expect([kept.exitCode, kept.stderr]).toEqual([0, expect.stringContaining('Next time: --map bank')]);
    const next = await reconcile(home, feed([paid({ number: 1 })]), [bank, '--map', 'bank']);
    expect([next.exitCode, next.stderr]).toEqual([0, expect.not.stringContaining('To set this yourself')]);
  });

  it('is kept of no file that can not be read', async () => {
    const path = ledger(home, ['pay-1,nothing']);
    const words = [path, '--save-map', 'bad', '--map', 'reference=reference,amount=amount'];
    expect((await reconcile(home, feed([]), words)).exitCode).toBe(14);
    expect((await reconcile(home, feed([]), [path, '--map', 'bad'])).stderr).toContain('No map');
  });
});

describe('bad input', () => {
  it.each([
    ['no-such.csv', 'There is no file'],
    ['folder', 'folder'],
  ])('%s is 14, and nothing is asked', async (name, says) => {
    mkdirSync(join(home.home, 'folder'));
    let asked = 0;
    const transport = feed([], () => ((asked += 1), undefined));
    const result = await reconcile(home, transport, [join(home.home, name)]);
    expect([result.exitCode, result.stdout, asked]).toEqual([14, '', 0]);
    expect(result.stderr).toContain(says);
  });

  it('lines that can not be read are 14 with their numbers, and nothing is printed or written', async () => {
    const report = join(home.home, 'report.html');
    const words = ['--report', report, '--map', 'reference=reference,amount=amount'];
    const result = await one([...ONE, 'pay-2,twelve'], words);
    expect([result.exitCode, result.stdout]).toEqual([14, '']);
    expect(result.stderr).toContain('line 3');
    expect(() => readFileSync(report)).toThrow('ENOENT');
  });

  it('no currency anywhere is 2, and --currency says it', async () => {
    const path = ledger(home, ['pay-1,1.50']);
    const none = await reconcile(home, feed([]), [path]);
    expect([none.exitCode, none.stdout]).toEqual([2, '']);
    expect(none.stderr).toContain('Add --currency.');
    expect((await reconcile(home, feed([]), [path, '--currency', 'ves'])).exitCode).toBe(18);
  });

  it('reads standard input', async () => {
    const stdin = 'reference,amount\npay-1,1.50\n';
    const result = await reconcile(home, feed([paid({ number: 1 })]), ['-'], { stdin });
    expect(result.exitCode, result.stderr).toBe(0);
  });
});
