/** `svc payins batch`: a file becomes pay-ins, by methods that need no person in the middle. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { feesCsv, fileIn } from '../../support/payroll.js';
import { world, type Result, type World } from '../../support/svc.js';

let home: World;
beforeEach(() => {
  home = world();
});
afterEach(() => home.remove());

const batch = (text: string, ...flags: string[]): Promise<Result> =>
  home.svc(['payins', 'batch', fileIn(home.home, 'fees.csv', text), ...flags, '--json']);

it('collects by direct_debit at once, and by an incoming method when its payer pays', async () => {
  const debits = await batch(feesCsv('direct_debit'));
  expect(debits.exitCode, debits.stderr).toBe(0);
  expect(debits.json()).toMatchObject({
    batch: 'fees',
    rows: 3,
    confirmed: 3,
    totals: { VES: { confirmed: '66.00' } },
  });
  expect((await home.svc('balances')).stdout).toContain('"available":"66.00"');
  const incoming = await batch(feesCsv('incoming_transfer'), '--batch', 'incoming');
  expect(incoming.exitCode, incoming.stderr).toBe(0);
  expect(incoming.json()).toMatchObject({ pending: 3 });
});

it('refuses a method that needs a person', async () => {
  const result = await batch(feesCsv('debit_otp'));
  expect(result).toMatchObject({ exitCode: 14, stdout: '' });
  expect(String(result.error()['message'])).toMatch(/line 2: method: debit_otp needs a person/);
});

it('takes a payer and an amount twice only with --allow-duplicates', async () => {
  const twins = feesCsv('direct_debit', ['a,20.00', 'b,20.00']);
  expect((await batch(twins)).exitCode).toBe(14);
  expect((await batch(twins, '--allow-duplicates')).json()).toMatchObject({ confirmed: 2 });
});

it('takes rows of another batch only with --allow-repeat', async () => {
  await batch(feesCsv('direct_debit'));
  expect((await batch(feesCsv('direct_debit'), '--batch', 'again')).exitCode).toBe(13);
  expect((await batch(feesCsv('direct_debit'), '--batch', 'again', '--allow-repeat')).json()).toMatchObject({
    confirmed: 3,
  });
});

it.each([
  ['expires_in_hours', '2', 0],
  ['expires_in_hours', '73', 14],
  ['expires_in_hours', 'soon', 14],
  ['mandate.contract_id', 'A1', 14],
  ['payer.phone', '04121234567', 14],
])('holds %s %s to the method', async (column, value, exitCode) => {
  const lines = feesCsv('incoming_transfer').trimEnd().split('\n');
  const text = lines.map((line, at) => `${line},${at === 0 ? column : value}`).join('\n');
  const result = await batch(text);
  expect(result.exitCode, result.stderr).toBe(exitCode);
});
