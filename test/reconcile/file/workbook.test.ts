import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { ReadingPlan } from '../../../src/reconcile/file/guess-plan.js';
import type { StatementOptions } from '../../../src/reconcile/file/plan.js';
import { flagsOf, planSentences } from '../../../src/reconcile/file/plan-words.js';
import { readStatement } from '../../../src/reconcile/file/statement.js';
import type { LedgerLine } from '../../../src/reconcile/line.js';
import { UTC } from '../../../src/runtime/clock.js';
import { inputOf } from '../../../src/runtime/streams.js';
import { openSource } from '../../../src/sheet/file-source.js';
import { WORKSHEET, dateCell, workbook, type GivenSheet } from '../../support/workbook.js';
import { NOTHING_SAID } from './reading.js';
import { testFolder } from '../../support/test-folder.js';

const folder = testFolder();
const path = join(folder, 'bank.xlsx');

async function readBook(
  sheets: readonly GivenSheet[],
  options: Partial<StatementOptions> = {},
  from = path,
  changes: Readonly<Record<string, string>> = {},
): Promise<{ plan: ReadingPlan; lines: LedgerLine[] }> {
  const content = workbook(sheets, changes);
  writeFileSync(path, content);
  const input = inputOf(() => Readable.from([content]), false);
  const source = await openSource(from, input, 'Nothing was reconciled.');
  try {
    const { plan, lines } = await readStatement(source, { ...NOTHING_SAID, ...options }, { zone: UTC });
    const taken: LedgerLine[] = [];
    for await (const line of lines) taken.push(line);
    return { plan, lines: taken };
  } finally {
    await source.close();
  }
}

async function expectRefused(read: Promise<unknown>, part: RegExp): Promise<void> {
  const message = expect.stringMatching(part) as string;
  await expect(read).rejects.toMatchObject({ exitCode: 14, message });
}

const BANK: GivenSheet = {
  name: 'Movimientos',
  rows: [
    ['Banco de prueba'],
    [],
    ['Fecha', 'Referencia', 'Débito', 'Crédito', 'Descripción'],
    [dateCell(46349), 'P-1', 1500.5, null, 'nómina'],
    [dateCell(46350), 'P-2', null, 1234, { xml: '<c t="e"><v>#REF!</v></c>' }],
    ['Total', null, 1500.5, 1234],
  ],
  merged: ['A1:E1'],
};

it('reads titles, dates, both sides and a total as of any other file, and guesses no form', async () => {
  const { plan, lines } = await readBook([BANK, { name: 'Notas', rows: [['x']] }]);
  expect(lines).toMatchObject([
    { line: 4, reference: 'P-1', amount: '1500.5', direction: 'payout', date: '2026-11-23' },
    { line: 5, reference: 'P-2', amount: '1234', direction: 'payin', date: '2026-11-24' },
  ]);
  expect(plan).toMatchObject({
    ...{ format: 'workbook', delimiter: null, sheets: { sheet: 'Movimientos', others: ['Notas'] } },
  });
  expect(flagsOf(plan)).not.toContain('--delimiter');
  expect(planSentences(plan, 'bank.xlsx')[0]).toContain(
    'a workbook, sheet "Movimientos" (others: "Notas"; --sheet), header in line 3',
  );
  expect(flagsOf(plan)).toContain('--sheet');
});

it('reads the sheet that is named, and what the flags say of texts leaves its numbers alone', async () => {
  const amounts: [string, string | number][] = Object.entries({ Ref: 'Importe', A: '1.234,50', B: 10.25 });
  const texts = { name: 'Dos', rows: amounts };
  const { lines } = await readBook([BANK, texts], { sheet: 'Dos', decimal: 'comma' });
  expect(lines).toMatchObject([{ amount: '1234.5' }, { amount: '10.25' }]);
  await expectRefused(readBook([BANK, texts], { sheet: 'Dos' }), /--decimal comma reads it/);
  await expect(readBook([BANK], { sheet: 'Tres' })).rejects.toMatchObject({ exitCode: 2 });
});

it('reads amounts in the currency that is seen beside them', async () => {
  const format = '_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)';
  const amounts = [
    { value: 1234.5, format: '[$€-C0A]#,##0.00' },
    { value: -20, format: '"EUR "0.00;-"EUR "0.00' },
  ];
  const rows = [['Ref', 'Importe'], ...amounts.map((amount, at) => [`P-${at}`, amount])];
  expect((await readBook([{ rows }])).lines).toMatchObject([
    { amount: '1234.5', currency: 'EUR', isNegative: false },
    { amount: '20', currency: 'EUR', isNegative: true },
  ]);
  const dollars = [
    ['Ref', 'Importe', 'Moneda'],
    ['P-1', { value: -5.25, format }, 'USD'],
    ['P-2', { value: 0, format }, 'USD'],
  ];
  expect((await readBook([{ rows: dollars }])).lines).toMatchObject([
    { amount: '5.25', currency: 'USD', isNegative: true },
    { amount: '0' },
  ]);
});

it.each<[string, GivenSheet['rows'][number], RegExp]>([
  ['a reference seen with zeros', [{ value: 17, format: '00000' }, 1], /line 2: cell A2 holds 17/],
  ['a reference that is a date', [dateCell(46349), 1], /line 2: cell A2 holds a date/],
  ['an amount per cent', ['A', { value: 1, format: 10 }], /line 2: cell B2 holds 1, and its format "0.00%"/],
  ['an amount with fewer decimals', ['A', { value: 1.5, format: 1 }], /line 2: cell B2 holds 1.5/],
  [
    'an amount with the sign of another currency',
    ['A', { value: 1.5, format: '[$€-2] 0.00' }, null, 'VES'],
    /line 2: .*VES, and EUR stands beside the amount/,
  ],
  [
    'an error in a cell that counts',
    ['A', { xml: '<c t="e"><v>#REF!</v></c>' }],
    /line 2: cell B2 holds the error #REF!/,
  ],
  ['a date as a number', ['A', 1, 46349], /line 2: Fecha: "46349" is not a valid date/],
  [
    'a reference that lost digits',
    [{ xml: '<c><v>4.14123E+10</v></c>' }, 1],
    /line 2: cell A2 holds 4.14123E\+10, a number that a spreadsheet has shortened/,
  ],
])('refuses %s', async (_what, row, message) => {
  const rows = [['Ref', 'Importe', 'Fecha', 'Moneda'], row];
  await expectRefused(readBook([{ name: 'N', rows }]), message);
});

it('comes out of a file, and out of no stream', () =>
  expectRefused(readBook([BANK], {}, '-'), /give it as a file/));

it('takes no text for the place between two cells, however its XML says it', async () => {
  const text = (value: string): string => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
  const rows = [text('Ref') + text('Importe'), text('A&#x1f;n999')]
    .map((cells) => `<row>${cells}</row>`)
    .join('');
  const part = `<?xml version="1.1"?>${WORKSHEET}<sheetData>${rows}</sheetData></worksheet>`;
  const read = readBook([BANK], {}, path, { 'xl/worksheets/sheet1.xml': part });
  await expectRefused(read, /is a damaged workbook/);
});
