/** `svc payouts batch` of a workbook: the keys and the bytes of its other forms; a bad one is refused, and nothing of it is sent. */
import { describe, expect, it } from 'vitest';
import { batchHome } from '../../support/batch-home.js';
import { COLUMNS, fileIn, people, type Cells } from '../../support/payroll.js';
import type { Result } from '../../support/svc.js';
import {
  archive,
  dateCell,
  WORKSHEET,
  workbook,
  type BookCell,
  type GivenSheet,
} from '../../support/workbook.js';

const rows = people(3, (at) => ({
  amount: ['1500.5', '200', '1234.56'][at] ?? '',
  'beneficiary.name': 'José Ñandú',
}));
const here = batchHome(rows);

const cellsOf = (row: Cells): BookCell[] =>
  COLUMNS.map((name) => (name === 'amount' ? Number(row[name]) : (row[name] ?? '')));
const payroll = (those: readonly (readonly BookCell[])[] = rows.map(cellsOf)): GivenSheet => ({
  name: 'Nómina',
  rows: [[...COLUMNS], ...those],
});
/** The cells of one person, some of them others. */
const one = (changes: Readonly<Partial<Record<string, BookCell>>>): GivenSheet =>
  payroll([cellsOf(rows[0]!).map((cell, at) => changes[COLUMNS[at] ?? ''] ?? cell)]);

const fileOf = (content: string | Uint8Array, name = 'payroll.xlsx'): string =>
  fileIn(here.home.home, name, content);
const pay = (content: string | Uint8Array, words: readonly string[] = [], name?: string): Promise<Result> =>
  here.svc(['payouts', 'batch', fileOf(content, name), '--concurrency', '1', ...words]);
const sent = (): unknown[] =>
  here.shaky.posts.map(({ headers, body }) => [
    headers['idempotency-key'],
    Buffer.from(body ?? []).toString('utf8'),
  ]);

it('of our names and of numbers needs no word, and has the keys and the bytes of the plain file', async () => {
  expect((await here.svc(['payouts', 'batch', here.file, '--concurrency', '1'])).json()).toMatchObject({
    confirmed: 3,
  });
  const first = sent();
  here.shaky.posts.splice(0);
  const words = [
    'payouts',
    'batch',
    fileOf(workbook([payroll()])),
    '--concurrency',
    '1',
    '--skip-feed-check',
  ];
  const result = await here.svc(words, { env: here.machine('other') });
  expect(result.json(), result.stderr).toMatchObject({ rows: 3, confirmed: 3 });
  expect(result.stderr).toContain('is read as a workbook, sheet "Nómina", header in line 1.');
  expect(result.stderr.match(/is sent as/g)).toHaveLength(3);
  expect(sent()).toEqual(first);
  expect(Object.values(await here.shaky.ledger())).toEqual([1, 1, 1]);
});

it.each<[string, GivenSheet]>([
  ['a cover', { name: 'Portada', rows: [['EMPRESA'], ['Nómina de septiembre']] }],
  ['nothing', { name: 'Portada', rows: [] }],
  [
    'a title',
    {
      name: 'Resumen',
      rows: [
        ['Resumen', 'Total'],
        ['Pagos', 3],
      ],
    },
  ],
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
  expect((await here.svc(['payouts', 'batch', file, '--sheet', 'Nómina'])).json()).toMatchObject({
    confirmed: 3,
  });
});

it('reads the first sheet that is seen, names the others, and reads them by --sheet', async () => {
  const sheets = [
    { name: 'Datos', rows: [['x']], state: 'hidden' as const },
    payroll(),
    { name: 'Otra', rows: [['reference', 'amount']] },
  ];
  const first = await pay(workbook(sheets), ['--dry-run']);
  expect(first.json(), first.stderr).toMatchObject({ rows: 3 });
  expect(first.stderr).toContain('Sheets that are not read (--sheet): "Otra".');
  expect((await pay(workbook(sheets), ['--sheet', 'Otra'])).error()).toMatchObject({ exit_code: 14 });
  const none = await pay(workbook(sheets), ['--sheet', 'Tercera']);
  expect(none.error()).toMatchObject({ exit_code: 2 });
  expect(String(none.error()['message'])).toContain('Its sheets: "Nómina", "Otra".');
  expect((await pay('a,b\n', ['--sheet', 'Otra'], 'pay.csv')).error()).toMatchObject({ exit_code: 2 });
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
  const refused = await pay(book);
  expect(String(refused.error()['message'])).toMatch(
    / --map reference=Referencia,amount=Monto,country=country,/,
  );
  const map = `reference=Referencia,amount=Monto,${[...COLUMNS.slice(2), 'metadata.from', 'metadata.note'].map((name) => `${name}=${name}`).join(',')}`;
  const result = await pay(book, ['--map', map]);
  expect(result.json(), result.stderr).toMatchObject({ confirmed: 1 });
  expect(JSON.parse(Buffer.from(here.shaky.posts[0]?.body ?? []).toString('utf8'))).toMatchObject({
    amount: '1500.50',
    metadata: { from: '2026-11-23', note: 'ab' },
  });
});

it('is what a person sees in it: numbers that show their digits, amounts that show all their decimals', async () => {
  const seen = (value: string | number, format: string | number): BookCell => ({ value, format });
  const bolivars = '_-[$Bs.-200A]* #,##0.00_-;\\-[$Bs.-200A]* #,##0.00_-;_-[$Bs.-200A]* "-"??_-;_-@_-';
  const shown = rows.map((row, at) => {
    const [amount, number] = [Number(row['amount']), Number(row['beneficiary.document.number'])];
    const cells: Readonly<Record<string, BookCell>> = {
      amount: [seen(amount, bolivars), seen(amount, 4), seen(amount, '[Red][>=1000]#,##0.00" VES";0.00')][
        at
      ]!,
      'beneficiary.document.number': [number, seen(number, 1), seen(number, 49)][at]!,
    };
    return cellsOf(row).map((cell, column) => cells[COLUMNS[column] ?? ''] ?? cell);
  });
  const plain = await here.svc(['payouts', 'batch', here.file, '--concurrency', '1']);
  const first = sent();
  here.shaky.posts.splice(0);
  const file = fileOf(workbook([payroll(shown)]));
  const words = ['payouts', 'batch', file, '--concurrency', '1', '--skip-feed-check'];
  const result = await here.svc(words, { env: here.machine('other') });
  expect(result.json(), result.stderr).toMatchObject({ confirmed: 3 });
  expect(result.json()['totals']).toEqual(plain.json()['totals']);
  expect(sent()).toEqual(first);
});

/** What is done to the sheet of three people whose amounts are 1500.5, 200 and 1234.56. */
const SPOILED: readonly (readonly [what: string, change: (xml: string) => string, message: RegExp])[] = [
  ...[
    'hidden="1"',
    'hidden="true"',
    'hidden=" 1 "',
    'ht="0"',
    'ht="0" customHeight="1"',
    'ht="0.0"',
    'ht="0.25"',
    'ht="-3"',
    'ht="x"',
  ].map(
    (attribute) =>
      [
        `a row with ${attribute}`,
        (xml: string) => xml.replace('<row r="3"', `<row r="3" ${attribute}`),
        /hides row 3: show every row/,
      ] as const,
  ),
  ...['zeroHeight="1"', 'zeroHeight="true" defaultRowHeight="15"', 'defaultRowHeight="0"'].map(
    (attribute) =>
      [
        `rows of ${attribute}`,
        (xml: string) => xml.replace('<sheetData>', `<sheetFormatPr ${attribute}/><sheetData>`),
        /hides row 1: show every row/,
      ] as const,
  ),
  [
    'zeroHeight behind its rows',
    (xml) => xml.replace('</sheetData>', '</sheetData><sheetFormatPr zeroHeight="1"/>'),
    /stands behind its rows/,
  ],
  [
    'a row of another namespace',
    (xml) =>
      xml
        .replace('<row r="3"', '<x:row xmlns:x="urn:x" r="3"')
        .replace('</row><row r="4"', '</x:row><row r="4"'),
    /\?row" is there twice, or where no/,
  ],
  ['a row of no namespace', (xml) => xml.replace('<row r="3"', '<row xmlns="" r="3"'), /\?row" is/],
  [
    'a cell of another namespace',
    (xml) => xml.replace('<c r="B3"', '<x:c xmlns:x="urn:x" r="B3"').replace(/(<x:c[^]*?)<\/c>/, '$1</x:c>'),
    /\?c" is/,
  ],
  [
    'a value of another namespace',
    (xml) => xml.replace(/<v>200<\/v>/, '<v>200</v><x:v xmlns:x="urn:x">900</x:v>'),
    /\?v" is/,
  ],
  [
    'rows below something else',
    (xml) => xml.replace('<row r="3"', '<x xmlns="urn:x"><row r="3"').replace('<row r="4"', '</x><row r="4"'),
    /\?x" is/,
  ],
  [
    'a second table',
    (xml) => xml.replace('</sheetData>', '</sheetData><sheetData><row r="9"/></sheetData>'),
    /sheetData" is there twice/,
  ],
  [
    'a table inside the table',
    (xml) => xml.replace('<row r="3"', '<sheetData><row r="9"/></sheetData><row r="3"'),
    /sheetData" is/,
  ],
  [
    'a second table of another namespace',
    (xml) => xml.replace('</sheetData>', '</sheetData><x:sheetData xmlns:x="urn:x"/>'),
    /\?sheetData" is/,
  ],
  [
    'a row that stands twice',
    (xml) => xml.replace('<row r="3"', '<row r="2"/><row r="3"'),
    /rows are not in their order/,
  ],
  [
    'a cell that stands twice',
    (xml) => xml.replace('<c r="B3"', '<c r="B3"><v>900</v></c><c r="B3"'),
    /cells of row 3 are not in their order/,
  ],
  [
    'a cell that is before its own',
    (xml) => xml.replace('<c r="C3"', '<c r="A3"/><c r="C3"'),
    /cells of row 3 are not/,
  ],
  ['a cell without a column', (xml) => xml.replace('<c r="B3"', '<c r="3"'), /cells of row 3 are not/],
  ['a cell in small letters', (xml) => xml.replace('<c r="B3"', '<c r="b3"'), /cells of row 3 are not/],
  ['a value inside a value', (xml) => xml.replace('<v>200</v>', '<v>2<v>9</v>00</v>'), /more than a value/],
  ['a cell of another row', (xml) => xml.replace('<c r="B3"', '<c r="B4"'), /cells of row 3 are not/],
  [
    'a value that stands twice',
    (xml) => xml.replace('<v>200</v>', '<v>200</v><v>0</v>'),
    /c\/v" is there twice/,
  ],
  [
    'a value and a text',
    (xml) => xml.replace('<v>200</v>', '<v>200</v><is><t>900</t></is>'),
    /c\/is" is there twice/,
  ],
];

it.each(SPOILED)('is refused for %s', async (_what, change, message) => {
  const result = await pay(
    workbook([payroll()], {
      'xl/worksheets/sheet1.xml': (xml) => {
        expect(change(xml)).not.toBe(xml);
        return change(xml);
      },
    }),
  );
  expect(result.error(), result.stderr).toMatchObject({ exit_code: 14, outcome: 'not_sent' });
  expect(String(result.error()['message'])).toMatch(message);
  expect(here.shaky.posts).toEqual([]);
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
  const result = await pay(workbook([payroll()], { 'xl/worksheets/sheet1.xml': beside }));
  expect(result.json(), result.stderr).toMatchObject({ rows: 3, confirmed: 3 });
});

it.each([
  ['a sheet', 'xl/worksheets/sheet1.xml'],
  ['a sheet in other letters', 'xl/worksheets/SHEET1.xml'],
  ['the texts', 'xl/sharedStrings.xml'],
  ['a part that nobody reads', 'xl/media/image1.png'],
])('is refused for an archive that has %s twice', async (_what, name) => {
  const twice = [
    [name, '<x/>'],
    [name, '<y/>'],
  ] as const;
  const result = await pay(workbook([payroll()], {}, name.startsWith('xl/media') ? twice : twice.slice(1)));
  expect(result.error(), result.stderr).toMatchObject({ exit_code: 14, outcome: 'not_sent' });
  expect(String(result.error()['message'])).toMatch(/is there twice/);
});

it.each([
  ['a relationship', 'xl/_rels/workbook.xml.rels', /<Relationship [^>]*>/],
  ['a sheet', 'xl/workbook.xml', /<sheet [^>]*>/],
] as const)('is refused for a book that names %s twice', async (_what, part, pattern) => {
  const result = await pay(workbook([payroll()], { [part]: (xml) => xml.replace(pattern, '$&$&') }));
  expect(result.error(), result.stderr).toMatchObject({ exit_code: 14, outcome: 'not_sent' });
  expect(String(result.error()['message'])).toMatch(/is there twice/);
});

describe('is refused, and nothing is sent:', () => {
  const bomb = ' '.repeat(64 * 1024 * 1024);
  const sheetOf = (xml: string): Buffer => workbook([payroll()], { 'xl/worksheets/sheet1.xml': xml });
  const rest = (start: string, unit: string, times: number): Buffer => sheetOf(start + unit.repeat(times));
  const account = 'beneficiary.account_number';
  it.each<[string, () => string | Uint8Array, RegExp]>([
    [
      'an amount of more decimals',
      () => workbook([one({ amount: 10.005 })]),
      /line 2: amount: "10.005" .*at most 2 decimals/,
    ],
    [
      'an amount that is not what it shows',
      () => workbook([one({ amount: 0.1 + 0.2 })]),
      /cell B2 holds 0.30000000000000004, which is not what it shows; round it/,
    ],
    [
      'an amount as a text that is two',
      () => workbook([one({ amount: '1.234' })]),
      /line 2: amount: "1.234" is 1234 with --decimal comma/,
    ],
    [
      'an amount as a text with a comma',
      () => workbook([one({ amount: '1.500,50' })]),
      /Add this flag: --decimal\..* --decimal comma$/s,
    ],
    [
      'an amount that is a date',
      () => workbook([one({ amount: dateCell(46349) })]),
      /line 2: amount: "2026-11-23" is not a valid amount/,
    ],
    [
      'a date that is none',
      () => workbook([one({ [account]: dateCell(60) })]),
      /cell K2 holds a date that is none/,
    ],
    [
      'an account that lost digits',
      () => workbook([one({ [account]: { xml: '<c><v>4.14123E+10</v></c>' } })]),
      /cell K2 holds 4.14123E\+10, a number that a spreadsheet has shortened/,
    ],
    [
      'the same as a text',
      () => workbook([one({ [account]: '4.14123E+10' })]),
      /line 2: beneficiary.account_number: 4.14123E\+10 is a number that a spreadsheet has shortened/,
    ],
    [
      'an account of too many digits',
      () => workbook([one({ [account]: { xml: '<c><v>1020123456789012345</v></c>' } })]),
      /cell K2 holds a number of more than 15 digits/,
    ],
    [
      'a bank whose zeros are lost',
      () => workbook([one({ 'beneficiary.bank_code': 102 })]),
      /beneficiary.bank_code: .*leading zeros are lost/,
    ],
    [
      'a formula without a value',
      () => workbook([one({ amount: { xml: '<c><f>A1*2</f></c>' } })]),
      /line 2: cell B2 holds a formula without a value/,
    ],
    [
      'an error cell',
      () => workbook([one({ amount: { xml: '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>' } })]),
      /line 2: cell B2 holds the error #DIV\/0!/,
    ],
    ...(
      [
        [
          'a reference that is seen with zeros',
          { reference: { value: 17, format: '00000' } },
          'A2 holds 17, .*"00000".*format the column as text',
        ],
        [
          'a reference that is a date',
          { reference: dateCell(46349) },
          'A2 holds a date; format the column as text',
        ],
        ['a reference that is an answer', { reference: { xml: '<c t="b"><v>1</v></c>' } }, 'A2 holds TRUE'],
        [
          'a reference of a formula',
          { reference: { xml: '<c s="1"><f>TODAY()</f><v>46349</v></c>' } },
          'A2 holds a date',
        ],
        [
          'an error that was pasted as a text',
          { 'beneficiary.name': '#N/D' },
          'line 2: beneficiary.name: "#N/D" is what',
        ],
        ['a name that is hidden', { 'beneficiary.name': { value: 'Ana', format: ';;;' } }, 'G2 holds a text'],
        [
          'a document with points',
          { 'beneficiary.document.number': { value: 12345678, format: 3 } },
          'I2 holds 12345678',
        ],
        [
          'a bank that is seen with its zero',
          { 'beneficiary.bank_code': { value: 102, format: '0000' } },
          'J2 holds 102',
        ],
        [
          'a phone that is seen with its zero',
          { [account]: { value: 4121234567, format: '00000000000' } },
          'K2 holds 4121234567',
        ],
        ['an amount per cent', { amount: { value: 15, format: 9 } }, 'B2 holds 15, .*such as 0.00'],
        [
          'an amount in dollars',
          { amount: { value: 15, format: '[$$-409]#,##0.00' } },
          'line 2: amount: "\\$" stands beside it, and it is in VES',
        ],
      ] as [string, Record<string, BookCell>, string][]
    ).map(([what, changes, message]): [string, () => Uint8Array, RegExp] => [
      what,
      () => workbook([one(changes)]),
      new RegExp(message),
    ]),
    ['merged cells', () => workbook([{ ...payroll(), merged: ['K2:K3'] }]), /line 3: cells K2:K3 are merged/],
    ['a hidden row', () => workbook([{ ...payroll(), hiddenRows: [3] }]), /hides row 3: show every row/],
    [
      'a blank row',
      () => workbook([payroll([cellsOf(rows[0]!), [], cellsOf(rows[1]!)])]),
      /line 3: a blank line in the middle/,
    ],
    [
      'rows without a header',
      () => workbook([{ rows: rows.map(cellsOf) }]),
      /does not say what is the amount and what the reference/,
    ],
    ['an empty sheet', () => workbook([{ rows: [] }]), /is empty/],
    [
      'an archive of something else',
      () => archive({ 'a.txt': 'x' }),
      /is an archive, not a workbook.*Save it as XLSX or CSV/,
    ],
    ['a binary workbook', () => archive({ 'xl/workbook.bin': 'x' }), /is a binary workbook \(XLSB\)/],
    [
      'an encrypted archive',
      () => archive({ 'xl/workbook.xml': 'x', 'xl/_rels/workbook.xml.rels': 'x' }, 1),
      /has a password/,
    ],
    ['one with a password', () => oldWorkbook('EncryptedPackage'), /is a workbook with a password/],
    [
      'an old one',
      () => oldWorkbook('Workbook'),
      /is a workbook of an old kind \(XLS\)\. Save it as XLSX or CSV/,
    ],
    ['half of one', () => workbook([payroll()]).subarray(0, 900), /is a damaged archive/],
    ['a sheet that is cut', () => sheetOf('<worksheet><sheetData><row r="1"><c'), /is a damaged workbook/],
    [
      'a part that is missing',
      () => workbook([payroll()], { 'xl/worksheets/sheet1.xml': null }),
      /xl\/worksheets\/sheet1.xml is missing/,
    ],
    [
      'a bomb of white space',
      () => sheetOf(`<worksheet>${bomb}</worksheet>`),
      /unpacks to more than a workbook holds/,
    ],
    [
      'a bomb of texts',
      () => workbook([payroll()], { 'xl/sharedStrings.xml': `<sst><si><t>${bomb}` }),
      /unpacks to more than a workbook holds/,
    ],
    [
      'a cell that never ends',
      () => sheetOf(`${WORKSHEET}<sheetData><row><c><v>${[...Array(300_000).keys()].join('')}`),
      /holds more in one cell than a cell holds/,
    ],
    ['what is nested without an end', () => rest('<worksheet>', '<a>', 1000), /is nested too deep/],
    [
      'entities',
      () =>
        sheetOf(
          '<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet><sheetData><row><c t="str"><v>&a;</v></c></row></sheetData></worksheet>',
        ),
      /is a damaged workbook/,
    ],
    [
      'rows out of their order',
      () => sheetOf(`${WORKSHEET}<sheetData><row r="2"/><row r="1"/></sheetData></worksheet>`),
      /rows are not in their order/,
    ],
    [
      'cells far to the right',
      () =>
        sheetOf(`${WORKSHEET}<sheetData><row r="1"><c r="XFD1"><v>1</v></c></row></sheetData></worksheet>`),
      /more than 512 columns/,
    ],
  ])('%s', async (_what, content, message) => {
    const result = await pay(content());
    expect(result.error(), result.stderr).toMatchObject({ exit_code: 14, outcome: 'not_sent' });
    expect(String(result.error()['message'])).toMatch(message);
    expect(here.shaky.posts).toEqual([]);
  });

  it('1,000,000 rows, before they are read to their end', async () => {
    const row = (at: number): string =>
      `<row r="${at + 1}"><c t="str"><v>r-${at * 7919}</v></c><c><v>${at % 977}</v></c></row>`;
    const head = `${WORKSHEET}<sheetData><row r="1"><c t="str"><v>reference</v></c><c t="str"><v>amount</v></c></row>`;
    const lines = Array.from({ length: 300_000 }, (_, at) => row(at + 1)).join('');
    const result = await pay(
      workbook([payroll()], { 'xl/worksheets/sheet1.xml': `${head}${lines}</sheetData></worksheet>` }),
    );
    expect(result.error(), result.stderr).toMatchObject({ exit_code: 14 });
    expect(String(result.error()['message'])).toContain('has more than 250000 rows');
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
