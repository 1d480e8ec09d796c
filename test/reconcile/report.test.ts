import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eachWorld } from '../support/svc.js';
import { NotAnswered } from '../../src/runtime/transport.js';
import { feed, idOf, ledger, paid, reconcile } from './given-lines.js';

const home = eachWorld('2026-09-02T08:00:00Z');
const report = (): string => join(home.home, 'report.html');

const rows = ['pay-1,1.51', '</script><img src=x onerror=alert(1)>,7'];
const run = (words: readonly string[] = []) =>
  reconcile(home, feed([paid({ number: 1 })]), [ledger(home, rows), '--report', report(), ...words]);

it('holds the findings, the sums, and what was compared with what; for the user alone', async () => {
  const { exitCode, stdout } = await run(['--tolerance', 'USD:1']);
  expect(exitCode).toBe(18);
  expect(stdout.trimEnd().split('\n')).toHaveLength(3);
  const text = readFileSync(report(), 'utf8');
  expect(statSync(report()).mode & 0o777).toBe(0o600);
  const [, data = ''] = /id="findings">([^]*?)<\/script>/.exec(text)!;
  expect(JSON.parse(data)).toMatchObject([
    { class: 'amount_differs', there: [{ id: idOf(1) }] },
    { class: 'only_here', here: [{ reference: '</script><img src=x onerror=alert(1)>' }] },
  ]);
  expect(text).not.toContain('<img');
  const compared = ['ledger.csv', 'reference=reference,amount=amount', 'sandbox, http://localhost:4010'];
  for (const fact of [...compared, 'USD:1', '2026-09-01T12:00:00Z']) expect(text).toContain(fact);
  expect(text).toContain('>8.51</td>');
});

it('says as what a column was read that holds the numbers of the bank', async () => {
  const path = ledger(home, ['000017,1.50'], 'Referencia,Monto');
  const events = [paid({ number: 1, data: { bank_reference: '000017' } })];
  await reconcile(home, feed(events), [path, '--report', report()]);
  expect(readFileSync(report(), 'utf8')).toContain('bank_reference=Referencia,amount=Monto');
});

it('is written where all agree too', async () => {
  const path = ledger(home, ['pay-1,1.50']);
  const { exitCode } = await reconcile(home, feed([paid({ number: 1 })]), [path, '--report', report()]);
  expect(exitCode).toBe(0);
  expect(readFileSync(report(), 'utf8')).toContain('Your file and the service agree.');
});

it('replaces the one of yesterday', async () => {
  await run();
  const before = readFileSync(report(), 'utf8');
  home.clock.advance(86_400_000);
  await run();
  expect(readFileSync(report(), 'utf8')).not.toBe(before);
});

describe('what is in the way stays, and is 13 before anything is asked', () => {
  it.each([
    ['a file of somebody', () => writeFileSync(report(), 'my thesis')],
    ['a folder', () => mkdirSync(report())],
    ['a link', () => symlinkSync(join(home.home, 'elsewhere'), report())],
  ])('%s', async (_, put) => {
    put();
    let asked = 0;
    const transport = feed([], () => ((asked += 1), undefined));
    const result = await reconcile(home, transport, [ledger(home, rows), '--report', report()]);
    expect([result.exitCode, result.stdout, asked]).toEqual([13, '', 0]);
    expect(result.error()).toMatchObject({ code: 'file_in_the_way' });
    expect(existsSync(join(home.home, 'elsewhere'))).toBe(false);
  });
});

it('has a folder, or is 16 before anything is asked', async () => {
  const path = ledger(home, rows);
  const result = await reconcile(home, feed([]), [path, '--report', join(home.home, 'no/report.html')]);
  expect([result.exitCode, result.stdout]).toEqual([16, '']);
});

it('is not there where the service is gone in the middle, and nothing is printed', async () => {
  const events = Array.from({ length: 200 }, (_, at) => paid({ number: at + 1 }));
  const gone = new NotAnswered('connect', false, 'gone');
  const transport = feed(events, (count) => (count > 2 ? gone : undefined));
  const result = await reconcile(home, transport, [ledger(home, rows), '--report', report()]);
  expect([result.exitCode, result.stdout]).toEqual([11, '']);
  expect(readdirSync(home.home).filter((name) => /report|tmp/.test(name))).toEqual([]);
});
