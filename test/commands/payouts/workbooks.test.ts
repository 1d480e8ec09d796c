/** `svc payouts batch` of a workbook: the keys and the bytes of its other forms; a bad one is refused, and nothing of it is sent. */
import { describe, expect, it } from 'vitest';
import { batchHome } from '../../support/batch-home.js';
import { COLUMNS, fileIn, people, type Cells } from '../../support/payroll.js';
import type { Result, RunOptions } from '../../support/svc.js';
import { archive, dateCell, WORKSHEET, workbook } from '../../support/workbook.js';
import type { BookCell, GivenSheet } from '../../support/workbook.js';

const [SHEET, TEXTS] = ['xl/worksheets/sheet1.xml', 'xl/sharedStrings.xml'];

const AMOUNTS = ['1500.5', '200', '1234.56'];
const rows = people(3, (at) => ({ amount: AMOUNTS[at]!, 'beneficiary.name': 'José Ñandú' }));
const here = batchHome(rows);

const cellsOf = (row: Cells): BookCell[] =>
  COLUMNS.map((name) => (name === 'amount' ? Number(row[name]) : (row[name] ?? '')));
const payroll = (those = rows.map(cellsOf)) => ({ name: 'Nómina', rows: [[...COLUMNS], ...those] });
/** The cells of one person, some of them others. */
const one = (changes: Readonly<Partial<Record<string, BookCell>>>): GivenSheet =>
  payroll([cellsOf(rows[0]!).map((cell, at) => changes[COLUMNS[at] ?? ''] ?? cell)]);

const fileOf = (content: string | Uint8Array): string => fileIn(here.home.home, 'payroll.xlsx', content);
const pay = (content: string | Uint8Array, words: string[] = [], options?: RunOptions): Promise<Result> =>
  here.svc(['payouts', 'batch', fileOf(content), '--concurrency', '1', ...words], options);
/** The keys and the bytes that have left since it was asked before. */
const sent = (): unknown[] =>
  here.shaky.posts.splice(0).map(({ headers, body }) => [headers['idempotency-key'], String(body)]);

it('of our names and of numbers needs no word, and has the keys and the bytes of the plain file', async () => {
  expect((await here.begin()).json()).toMatchObject({ confirmed: 3 });
  const first = sent();
  const result = await pay(workbook([payroll()]), ['--skip-feed-check'], { env: here.machine('other') });
  expect(result.json(), result.stderr).toMatchObject({ rows: 3, confirmed: 3 });
  expect(result.stderr).toContain('is read as a workbook, sheet "Nómina", header in line 1.');
  expect(result.stderr.match(/is sent as/g)).toHaveLength(3);
  expect(sent()).toEqual(first);
  expect(Object.values(await here.shaky.ledger())).toEqual([1, 1, 1]);
});

it.each<[string, GivenSheet]>([
  ['a cover', { name: 'Portada', rows: [['EMPRESA'], ['Nómina de septiembre']] }],
  ['nothing', { name: 'Portada', rows: [] }],
  ['a title', { name: 'Resumen', rows: [...[['Resumen', 'Total']], ...[['Pagos', 3]]] }],
])('whose first sheet is %s names the others, for a batch and a reconciliation', async (_what, cover) => {
  const file = fileOf(workbook([cover, payroll(), { name: "It's", rows: [['x']] }]));
  for (const [words, exit] of [
    [['payouts', 'batch'], 14],
    [['reconcile'], cover.rows.length === 0 ? 14 : 2],
  ] as const) {
    const result = await here.svc([...words, file]);
    expect(result.exitCode).toBe(exit);
    expect(result.error()['message']).toContain(`The others (--sheet): "Nómina", "It's".`);
  }
  const named = await here.svc(['payouts', 'batch', file, '--sheet', 'Nómina']);
  expect(named.json()).toMatchObject({ confirmed: 3 });
});

it('reads the first sheet that is seen, names the others, and reads them by --sheet', async () => {
  const hidden = { name: 'Datos', rows: [['x']], state: 'hidden' as const };
  const sheets = [hidden, payroll(), { name: 'Otra', rows: [['reference', 'amount']] }];
  const first = await pay(workbook(sheets), ['--dry-run']);
  expect(first.json(), first.stderr).toMatchObject({ rows: 3 });
  expect(first.stderr).toContain('Sheets that are not read (--sheet): "Otra".');
  expect((await pay(workbook(sheets), ['--sheet', 'Otra'])).exitCode).toBe(14);
  const none = await pay(workbook(sheets), ['--sheet', 'Tercera']);
  expect(none.exitCode).toBe(2);
  expect(String(none.error()['message'])).toContain('Its sheets: "Nómina", "Otra".');
  expect((await pay('a,b\n', ['--sheet', 'Otra'])).exitCode).toBe(2);
});

it('takes dates as ISO dates, texts of any kind, and titles above the header that are merged', async () => {
  const header = ['Referencia', 'Monto', ...COLUMNS.slice(2), 'metadata.from', 'metadata.note', 'Notas'];
  const cells = [
    ...cellsOf(rows[0]!),
    dateCell(46349),
    { xml: '<c t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c>' },
    { xml: '<c t="e"><v>#N/A</v></c>' },
  ];
  const book = workbook([{ name: 'N', rows: [['Nómina'], [], header, cells], merged: ['A1:D1'] }]);
  const refused = String((await pay(book)).error()['message']);
  expect(refused).toMatch(/ --map reference=Referencia,amount=Monto,country=country,/);
  const same = header.slice(2, -1).map((name) => `${name}=${name}`);
  const map = `reference=Referencia,amount=Monto,${same.join(',')}`;
  expect((await pay(book, ['--map', map])).json()).toMatchObject({ confirmed: 1 });
  const metadata = { from: '2026-11-23', note: 'ab' };
  expect(JSON.parse(String(here.shaky.posts[0]?.body))).toMatchObject({ amount: '1500.50', metadata });
});

it('is what a person sees in it: numbers that show their digits, amounts that show all their decimals', async () => {
  const bolivars = '_-[$Bs.-200A]* #,##0.00_-;\\-[$Bs.-200A]* #,##0.00_-;_-[$Bs.-200A]* "-"??_-;_-@_-';
  const shown = rows.map((row, at) => {
    const [amount, number] = [Number(row['amount']), Number(row['beneficiary.document.number'])];
    const cells: Readonly<Record<string, BookCell>> = {
      amount: seen(amount, [bolivars, 4, '[Red][>=1000]#,##0.00" VES";0.00'][at]!),
      'beneficiary.document.number': [number, seen(number, 1), seen(number, 49)][at]!,
    };
    return cellsOf(row).map((cell, column) => cells[COLUMNS[column] ?? ''] ?? cell);
  });
  const plain = await here.begin();
  const first = sent();
  const elsewhere = { env: here.machine('other') };
  const result = await pay(workbook([payroll(shown)]), ['--skip-feed-check'], elsewhere);
  expect(result.json(), result.stderr).toMatchObject({ confirmed: 3 });
  expect(result.json()['totals']).toEqual(plain.json()['totals']);
  expect(sent()).toEqual(first);
});

/** Nothing of it is sent, and that is said. */
async function refuses(content: string | Uint8Array, message: RegExp): Promise<void> {
  const result = await pay(content);
  const said = expect.stringMatching(message) as string;
  expect(result.error(), result.stderr).toMatchObject({ exit_code: 14, outcome: 'not_sent', message: said });
  expect(here.shaky.posts).toEqual([]);
}

const X = 'xmlns:x="urn:x"';
/** The sheet of three people whose amounts are 1500.5, 200 and 1234.56, with something else in the place of that. */
const SPOILED: readonly (readonly [what: string, place: string | RegExp, other: string, message: RegExp])[] =
  [
    ...[
      ...['hidden="1"', 'hidden="true"', 'hidden=" 1 "', 'ht="0"', 'ht="0" customHeight="1"', 'ht="0.0"'],
      ...['ht="0.25"', 'ht="-3"', 'ht="x"'],
    ].map(
      (how) => [`a row: ${how}`, '<row r="3"', `<row r="3" ${how}`, /hides row 3: show every row/] as const,
    ),
    ...['zeroHeight="1"', 'zeroHeight="true" defaultRowHeight="15"', 'defaultRowHeight="0"'].map(
      (how) =>
        [`rows: ${how}`, '<sheetData>', `<sheetFormatPr ${how}/>$&`, /hides row 1: show every row/] as const,
    ),
    ['zeroHeight last', '</sheetData>', '$&<sheetFormatPr zeroHeight="1"/>', /stands behind its rows/],
    ['a foreign row', /<row( r="3".*?<\/)row>/, `<x:row ${X}$1x:row>`, /\?row" is there twice, or where no/],
    ['a row of no namespace', '<row r="3"', '<row xmlns="" r="3"', /\?row" is/],
    ['a foreign cell', /<c( r="B3".*?<\/)c>/, `<x:c ${X}$1x:c>`, /\?c" is/],
    ['a foreign value', '<v>200</v>', `$&<x:v ${X}>900</x:v>`, /\?v" is/],
    ['rows below something else', /<row r="3".*?<\/row>/, '<x xmlns="urn:x">$&</x>', /\?x" is/],
    ['a second table', '</sheetData>', '$&<sheetData><row r="9"/></sheetData>', /sheetData" is there twice/],
    ['a table inside the table', '<row r="3"', '<sheetData><row r="9"/></sheetData>$&', /sheetData" is/],
    ['a second table, foreign', '</sheetData>', `$&<x:sheetData ${X}/>`, /\?sheetData" is/],
    ['a row that stands twice', '<row r="3"', '<row r="2"/>$&', /rows are not in their order/],
    ['a cell that stands twice', '<c r="B3"', '$&><v>900</v></c>$&', /cells of row 3 are not in their order/],
    ['a cell that is before its own', '<c r="C3"', '<c r="A3"/>$&', /cells of row 3 are not/],
    ['a cell without a column', '<c r="B3"', '<c r="3"', /cells of row 3 are not/],
    ['a cell in small letters', '<c r="B3"', '<c r="b3"', /cells of row 3 are not/],
    ['a value inside a value', '<v>200</v>', '<v>2<v>9</v>00</v>', /more than a value/],
    ['a cell of another row', '<c r="B3"', '<c r="B4"', /cells of row 3 are not/],
    ['a value that stands twice', '<v>200</v>', '$&<v>0</v>', /c\/v" is there twice/],
    ['a value and a text', '<v>200</v>', '$&<is><t>900</t></is>', /c\/is" is there twice/],
    ['rows out of order', /<sheetData>.*/, '<sheetData><row r="2"/><row r="1"/>', /rows are not in their/],
    ['a far cell', '<sheetData>', '$&<row r="1"><c r="XFD1"><v>1</v></c></row>', /more than 512 columns/],
    ['a cut', /<row r="1".*/, '<row r="1"><c', /is a damaged workbook/],
  ];

it.each(SPOILED)('is refused for %s', async (_what, place, other, message) => {
  const spoil = (xml: string): string => {
    expect(xml.replace(place, other)).not.toBe(xml);
    return xml.replace(place, other);
  };
  await refuses(workbook([payroll()], { [SHEET]: spoil }), message);
});

it('reads what other programs write beside the rows', async () => {
  const beside = (xml: string): string =>
    xml
      .replace('<sheetData>', '<sheetFormatPr defaultRowHeight="15" zeroHeight="0"/><sheetData>')
      .replace(
        '<row r="3"',
        '<row r="3" ht="12.75" customHeight="1" x14ac:dyDescent="0.25" xmlns:x14ac="urn:ac" hidden="0"',
      )
      .replace('</row>', '<extLst><ext uri="x"/></extLst></row>')
      .replace(
        '</sheetData>',
        '</sheetData><mc:AlternateContent xmlns:mc="urn:mc"><xdr:from xmlns:xdr="urn:xdr"><xdr:row>5</xdr:row><xdr:c>1</xdr:c></xdr:from></mc:AlternateContent>',
      )
      .replaceAll(/<(\/?)(worksheet|sheetData|row|c|v|sheetFormatPr)(?=[ >/])/g, '<$1x:$2')
      .replace('xmlns=', 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:x=');
  const result = await pay(workbook([payroll()], { [SHEET]: beside }));
  expect(result.json(), result.stderr).toMatchObject({ rows: 3, confirmed: 3 });
});

it.each([
  ['a sheet', SHEET],
  ['a sheet in other letters', 'xl/worksheets/SHEET1.xml'],
  ['the texts', TEXTS],
  ['a part that nobody reads', 'xl/media/image1.png'],
])('is refused for an archive that has %s twice', async (_what, name) => {
  const twice = [[name, '<x/>'] as const, [name, '<y/>'] as const];
  const more = name.startsWith('xl/media') ? twice : twice.slice(1);
  await refuses(workbook([payroll()], {}, more), /is there twice/);
});

it.each([
  ['a relationship', 'xl/_rels/workbook.xml.rels', /<Relationship [^>]*>/],
  ['a sheet', 'xl/workbook.xml', /<sheet [^>]*>/],
] as const)('is refused for a book that names %s twice', (_what, part, pattern) =>
  refuses(workbook([payroll()], { [part]: (xml) => xml.replace(pattern, '$&$&') }), /is there twice/),
);

const account = 'beneficiary.account_number';
const seen = (value: string | number, format: string | number): BookCell => ({ value, format });
const raw = (xml: string): BookCell => ({ xml });

it.each<[string, Parameters<typeof one>[0], RegExp]>([
  ['an amount of more decimals', { amount: 10.005 }, /line 2: amount: "10.005" .*at most 2 decimals/],
  ['an amount that does not show', { amount: 0.1 + 0.2 }, /B2 holds 0.30000000000000004, which is not/],
  ['an amount as a text that is two', { amount: '1.234' }, /amount: "1.234" is 1234 with --decimal comma/],
  ['one as a text with a comma', { amount: '1.500,50' }, /Add this flag: --decimal\..* --decimal comma$/s],
  ['an amount that is a date', { amount: dateCell(46349) }, /amount: "2026-11-23" is not a valid amount/],
  ['some dollars', { amount: seen(15, '[$$-409]#,##0.00') }, /: "\$" stands beside it, and it is in VES/],
  ['a formula alone', { amount: raw('<c><f>A1*2</f></c>') }, /line 2: cell B2 holds a formula without a/],
  ['a date that is none', { [account]: dateCell(60) }, /cell K2 holds a date that is none/],
  ['lost digits as a text', { [account]: '4.14123E+10' }, /number: 4.14123E\+10 is a number that a spread/],
  ['digits', { [account]: raw('<c><v>1020123456789012345</v></c>') }, /K2 holds a number of more than 15/],
  ['a phone with its zero seen', { [account]: seen(4121234567, '0'.repeat(11)) }, /K2 holds 4121234567/],
  ['a bank whose zeros are lost', { 'beneficiary.bank_code': 102 }, /bank_code: .*leading zeros are lost/],
  ['a bank with its zero seen', { 'beneficiary.bank_code': seen(102, '0000') }, /J2 holds 102/],
  ['a document with points', { 'beneficiary.document.number': seen(12345678, 3) }, /I2 holds 12345678/],
  ['a name that is hidden', { 'beneficiary.name': seen('Ana', ';;;') }, /G2 holds a text/],
  ['an error as a text', { 'beneficiary.name': '#N/D' }, /line 2: beneficiary.name: "#N\/D" is what/],
  ['a reference that is an answer', { reference: raw('<c t="b"><v>1</v></c>') }, /A2 holds TRUE/],
  ['a formula', { reference: raw('<c s="1"><f>TODAY()</f><v>46349</v></c>') }, /A2 holds a date/],
])('is refused for %s in a cell', (_what, changes, message) => refuses(workbook([one(changes)]), message));

describe('is refused, and nothing is sent:', () => {
  const textsOf = (xml: string): Buffer => workbook([payroll()], { [TEXTS]: xml });
  const sheetOf = (xml: string): Buffer => workbook([payroll()], { [SHEET]: xml });
  const entity = '<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet><sheetData><row><c t="str"><v>&a;</v></c>';
  const [first, second] = rows.map(cellsOf);
  const encrypted = { 'xl/workbook.xml': 'x', 'xl/_rels/workbook.xml.rels': 'x' };
  /** More than a workbook holds. */
  const bomb = (): string => ' '.repeat(64 * 1024 * 1024);
  const digits = [...Array(300_000).keys()].join('');
  it.each<[string, () => string | Uint8Array, RegExp]>([
    ['merged cells', () => workbook([{ ...payroll(), merged: ['K2:K3'] }]), /line 3: cells K2:K3 are merged/],
    ['a blank row', () => workbook([payroll([first!, [], second!])]), /line 3: a blank line/],
    ['no header', () => workbook([{ rows: rows.map(cellsOf) }]), /what is the amount and what the ref/],
    ['an empty sheet', () => workbook([{ rows: [] }]), /is empty/],
    ['another archive', () => archive({ 'a.txt': 'x' }), /is an archive, not a workbook.*Save it as XLSX or/],
    ['a binary workbook', () => archive({ 'xl/workbook.bin': 'x' }), /is a binary workbook \(XLSB\)/],
    ['an encrypted archive', () => archive(encrypted, 1), /has a password/],
    ['one with a password', () => oldWorkbook('EncryptedPackage'), /is a workbook with a password/],
    ['an old one', () => oldWorkbook('Workbook'), /of an old kind \(XLS\)\. Save it as XLSX or CSV/],
    ['half of one', () => workbook([payroll()]).subarray(0, 900), /is a damaged archive/],
    ['a missing part', () => workbook([payroll()], { [SHEET]: null }), /worksheets\/sheet1.xml is missing/],
    ['a bomb', () => sheetOf(`<worksheet>${bomb()}</worksheet>`), /unpacks to more than a workbook/],
    ['a bomb of texts', () => textsOf(`<sst><si><t>${bomb()}`), /unpacks to more than a workbook/],
    ['an endless cell', () => sheetOf(`${WORKSHEET}<sheetData><row><c><v>${digits}`), /more in one cell/],
    ['endless nesting', () => sheetOf(`<worksheet>${'<a>'.repeat(1000)}`), /is nested too deep/],
    ['entities', () => sheetOf(`${entity}</row></sheetData></worksheet>`), /is a damaged workbook/],
  ])('%s', (_what, content, message) => refuses(content(), message));

  it('1,000,000 rows, before they are read to their end', async () => {
    const row = (at: number): string =>
      `<row r="${at + 1}"><c t="str"><v>r-${at * 7919}</v></c><c><v>${at % 977}</v></c></row>`;
    const head = `${WORKSHEET}<sheetData><row r="1"><c t="str"><v>reference</v></c><c t="str"><v>amount</v></c></row>`;
    const lines = Array.from({ length: 300_000 }, (_, at) => row(at + 1)).join('');
    await refuses(sheetOf(`${head}${lines}</sheetData></worksheet>`), /has more than 250000 rows/);
  });
});

/** The container of older programs, whose directory names what is in it. */
function oldWorkbook(name: string): Buffer {
  const bytes = Buffer.alloc(2048);
  bytes.write('d0cf11e0a1b11ae1', 'hex');
  bytes.writeUInt16LE(9, 30);
  bytes.writeUInt32LE(1, 48);
  bytes.write(name, 1024, 'utf16le');
  return bytes;
}
