import { expect, it } from 'vitest';
import { feesCsv, fileIn } from '../../support/payroll.js';
import { directDebit } from '../../support/requests.js';
import { workbook } from '../../support/workbook.js';
import { eachWorld, type Result } from '../../support/svc.js';

const home = eachWorld();

const batch = (text: string, ...flags: string[]): Promise<Result> =>
  home.svc(['payins', 'batch', fileIn(home.home, 'fees.csv', text), ...flags, '--json']);

it('collects by direct_debit at once, and by an incoming method when its payer pays', async () => {
  const debits = await batch(feesCsv('direct_debit'));
  expect(debits.exitCode, debits.stderr).toBe(0);
  const totals = { VES: { confirmed: '66.00' } };
  expect(debits.json()).toMatchObject({ batch: 'fees', rows: 3, confirmed: 3, totals });
  expect((await home.svc('balances')).stdout).toContain('"available":"66.00"');
  const rows = [1, 2, 3].map((at) => `later-${at},${20 + at}.00`);
  const incoming = await batch(feesCsv('incoming_transfer', rows), '--batch', 'incoming');
  expect(incoming.exitCode, incoming.stderr).toBe(0);
  expect(incoming.json()).toMatchObject({ pending: 3 });
});

it('refuses a method that needs a person', async () => {
  const result = await batch(feesCsv('debit_otp'));
  expect(result).toMatchObject({ exitCode: 14, stdout: '' });
  expect(String(result.error()['message'])).toMatch(/line 2: method: debit_otp needs a person/);
});

it('collects each reference once, whatever the method, and once more only with --new-since', async () => {
  await batch(feesCsv('direct_debit'));
  for (const method of ['direct_debit', 'incoming_transfer']) {
    const refused = await batch(feesCsv(method), '--batch', 'again');
    expect(refused.error()).toMatchObject({ code: 'references_paid', exit_code: 13 });
  }
  const since = new Date(home.clock.now() + 60_000).toISOString();
  home.clock.advance(120_000);
  const line = ['--batch', 'again', '--new-since', since];
  expect((await batch(feesCsv('direct_debit'), ...line)).json()).toMatchObject({ confirmed: 3 });
  const posted = (await home.svc('balances')).stdout;
  expect(posted).toContain('"available":"132.00"');
  expect((await batch(feesCsv('direct_debit'), ...line)).exitCode).toBe(13);
  expect((await home.svc('balances')).stdout).toBe(posted);
});

it('is held to --company, which nothing shows before the first operation', async () => {
  const refused = await batch(feesCsv('direct_debit'), '--company', 'XYZ');
  expect(refused.error()).toMatchObject({ code: 'other_company', exit_code: 13, outcome: 'not_sent' });
  await batch(feesCsv('direct_debit'));
  const next = feesCsv('direct_debit', ['fee-9,29.00']);
  const again = await batch(next, '--batch', 'next', '--rate', '9/s', '--company', 'XYZ');
  expect(again.error()).toMatchObject({ code: 'other_company' });
});

it('has paid what payins create is asked for: that is refused, unless --new-payment insists', async () => {
  const dearer = directDebit().map((word) => word.replace('20.00', '21.00'));
  const alone = [...dearer, '--reference', 'fee-1'];
  await batch(feesCsv('direct_debit'));
  const refused = await home.svc([...alone, '--json']);
  expect(refused.error()).toMatchObject({ code: 'reference_paid', exit_code: 13 });
  const [{ operation_id: id }] = refused.error()['details'] as [{ operation_id: string }];
  const insisted = await home.svc([...alone, '--new-payment', id, '--json']);
  expect(insisted.json(), insisted.stderr).toMatchObject({ status: 'confirmed' });
  expect((await home.svc('balances')).stdout).toContain('"available":"87.00"');
});

it.each([
  ['expires_in_hours', '2', 0],
  ['expires_in_hours', '73', 14],
  ['expires_in_hours', 'soon', 14],
  ['mandate.contract_id', 'A1', 14],
  ['payer.phone', '04121234567', 14],
  ['payer.name', '#N/D', 14],
])('holds %s %s to the method', async (column, value, exitCode) => {
  const lines = feesCsv('incoming_transfer').trimEnd().split('\n');
  const text = lines.map((line, at) => `${line},${at === 0 ? column : value}`).join('\n');
  const result = await batch(text);
  expect(result.exitCode, result.stderr).toBe(exitCode);
});

it('reads collections as a spreadsheet writes them, and keeps how', async () => {
  const rows = ['1', '2'].map((at) => `fee-${at};1.02${at},50;V;12345678;0102;Muñoz`);
  const text = ['Referencia;Monto;Tipo documento;Cédula;Banco;Pagador', ...rows, ''].join('\r\n');
  const path = fileIn(home.home, 'cuotas.csv', Buffer.from(text, 'latin1'));
  const place = '--country VE --currency VES --method incoming_transfer';
  const map =
    'reference=Referencia,amount=Monto,payer.document.type=Tipo documento,payer.document.number=Cédula,payer.bank_code=Banco';
  const words = ['--delimiter', 'semicolon', '--decimal', 'comma', '--encoding', 'latin1', '--map', map];
  const first = await home.svc(`payins batch ${path} ${place} --save-map cuotas`.split(' ').concat(words));
  expect(first.json(), first.stderr).toMatchObject({ rows: 2, totals: { VES: { total: '2044.00' } } });
  const mapped = `batch ${path} ${place} --map cuotas --dry-run --skip-paid --batch`;
  expect((await home.svc(`payouts ${mapped} out`)).exitCode).toBe(2);
  const again = await home.svc(`payins ${mapped} again`);
  expect(again.exitCode, again.stderr).toBe(0);
});

it('reads collections out of the sheet of a workbook that is named', async () => {
  const lines = feesCsv('incoming_transfer').trimEnd().split('\n');
  const typed = (cell: string, at: number, column: number): string | number =>
    at > 0 && column === 1 ? Number(cell) : cell;
  const cells = lines.map((line, at) => line.split(',').map((cell, column) => typed(cell, at, column)));
  const notes = { name: 'Notas', rows: [['x']] };
  const path = fileIn(home.home, 'cuotas.xlsx', workbook([notes, { name: 'Cuotas', rows: cells }]));
  const result = await home.svc(['payins', 'batch', path, '--sheet', 'Cuotas']);
  expect(result.json(), result.stderr).toMatchObject({ rows: 3, totals: { VES: { total: '66.00' } } });
});

it('says at a terminal why rows are pending, and how they are followed', async () => {
  const tty = { stdout: true, stderr: true };
  const file = fileIn(home.home, 'later.csv', feesCsv('incoming_transfer'));
  const sent = await home.svc(['payins', 'batch', file], { tty, env: { NO_COLOR: '1' } });
  for (const shown of [sent, await home.svc('batches status later', { tty, env: { NO_COLOR: '1' } })]) {
    expect(shown.stdout).toMatch(/○ pending +3 +66\.00\n +awaiting_payment +3\n/);
    expect(shown.stderr).toContain('\nNext: svc batches resume --wait later\n');
  }
  const told = await home.svc('batches status later');
  expect(told.json()).toMatchObject({ pending: 3, pending_reasons: { awaiting_payment: 3 } });
  expect(told.stderr).not.toContain('Next: ');
  expect((await home.svc('batches status later --quiet', { tty })).stderr).not.toContain('Next: ');
});
