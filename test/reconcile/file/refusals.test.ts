/** What of a statement is asked about (2) and what can't be read (14): each with what to type, and nothing half read. */
import { describe, expect, it } from 'vitest';
import type { StatementOptions } from '../../../src/reconcile/file/plan.js';
import { Failure } from '../../../src/runtime/failure.js';
import { wordsOf } from '../../support/typed.js';
import { readWhole, type Arrival } from './reading.js';

async function refused(
  content: string | Uint8Array,
  options: Partial<StatementOptions> = {},
  arrival: Arrival = {},
): Promise<Failure> {
  const error = await readWhole(content, options, arrival).catch((thrown: unknown) => thrown);
  if (!(error instanceof Failure)) throw new Error('it was read', { cause: error });
  expect(error.message).toContain('Nothing was reconciled');
  return error;
}

const of = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;

describe('a statement is asked about', () => {
  it.each<readonly [string, string | Uint8Array, Partial<StatementOptions>, readonly string[]]>([
    [
      'a map that names no column',
      of('Ref;Importe', 'a;1'),
      { map: 'reference=Ref,amount=Imprte' },
      ['no column "Imprte"', 'line 1: 1 "Ref", 2 "Importe"'],
    ],
    [
      'a number beyond the columns',
      of('Ref;Importe', 'a;1'),
      { map: 'reference=Ref,amount=9' },
      ['no column 9'],
    ],
    [
      'two columns of one name',
      of('Ref;Importe;Importe', 'a;1;2'),
      { map: 'reference=Ref,amount=Importe' },
      ['amount may be column 2 or 3', 'number'],
    ],
    [
      'two columns of one name, guessed',
      of('Ref;Importe;importe', 'a;1;2'),
      {},
      ['amount may be column 2 or 3'],
    ],
    [
      'an amount beside debit and credit',
      of('Ref;Importe;Debe;Haber', 'a;1;2;'),
      {},
      ['amount may be column 2 or 3 or 4'],
    ],
    [
      'a header that says nothing',
      of('a;b', 'x;y'),
      {},
      ['does not say what is the amount', '1 "a", 2 "b"', '--map reference=COLUMN'],
    ],
    ['numbers where no amounts are', of('a;b', 'c;d'), { map: 'reference=1,amount=2' }, ['No amount stands']],
    [
      'decimals that could be thousands',
      of('Ref;Importe', 'a;1.234', 'b;5.678'),
      {},
      ['line 2', '"1.234" is 1234 with --decimal comma, 1.234 with --decimal point'],
    ],
    [
      'dates of which no month is a 13th',
      of('Ref;Importe;Fecha', 'a;1;05/05/2026', 'b;1;03/04/2026'),
      {},
      ['line 3', '2026-04-03 with --date-format DD/MM/YYYY, 2026-03-04 with --date-format MM/DD/YYYY'],
    ],
    [
      'years of two digits where any part may be one',
      of('Ref;Importe;Fecha', 'a;1;22/11/26'),
      {},
      ['2026-11-22 with --date-format DD/MM/YY, 2022-11-26 with --date-format YY-MM-DD'],
    ],
    [
      'payments of two years on one day of the month, or of two days of one month',
      of('Ref;Importe;Fecha', 'a;1;25/12/30', 'b;1;26/01/30'),
      {},
      ['2030-12-25 with --date-format DD/MM/YY, 2025-12-30 with --date-format YY-MM-DD'],
    ],
    [
      'days and months of which the first are the same',
      of('Ref;Importe;Fecha', ...['01', '02', '03', '04', '05'].map((day) => `a;1;${day}/01/26`)),
      {},
      ['line 3', '2026-01-02 with --date-format DD/MM/YY, 2026-02-01 with --date-format MM/DD/YY'],
    ],
    ['both at once', of('Ref;Importe;Fecha', 'a;1.234;03/04/2026'), {}, ['--decimal', '--date-format']],
    [
      'NDJSON by numbers',
      '{"a":1}',
      { map: 'reference=1,amount=2' },
      ['names its members', 'reference=data.reference'],
    ],
    ['NDJSON with a delimiter', '{"a":1}', { delimiter: 'comma' }, ['no --delimiter']],
    [
      'NDJSON without the member',
      '{"reference":"a","amount":1}',
      { map: 'reference=reference,amount=amnt' },
      ['no column "amnt"'],
    ],
    [
      'a mark that says another encoding',
      '\ufeffRef;Importe\n',
      { encoding: 'latin1' },
      ['utf8', '--encoding says latin1'],
    ],
    ['--delimiter', of('Ref'), { delimiter: 'colons' }, ['--delimiter is "colons", and is comma']],
    ['--delimiter of a letter', of('Ref'), { delimiter: 'a' }, ['--delimiter']],
    ['--decimal', of('Ref'), { decimal: ',' }, ['--decimal is ",", and is comma or point']],
    ['--encoding', of('Ref'), { encoding: 'ebcdic' }, ['--encoding is "ebcdic"']],
    ['--date-format', of('Ref'), { dateFormat: 'YYYY/DD/MM' }, ['--date-format is "YYYY/DD/MM"']],
    ['--date-format of nothing', of('Ref'), { dateFormat: '' }, ['--date-format']],
  ])('about %s', async (_what, content, options, parts) => {
    const failure = await refused(content, options);
    expect(failure.exitCode).toBe(2);
    for (const part of parts) expect(failure.message).toContain(part);
  });

  it.each([
    ['reference', 'does not begin with a member'],
    ['=x', 'does not begin with a member'],
    ['referance=x,amount=y', '"referance=x,amount=y"'],
    ['reference=a,reference=b,amount=c', 'reference is there twice'],
    ['reference=,amount=b', 'reference names no column'],
    ['reference=a,imprte=b', '"imprte" is not a member'],
    ['reference=a', 'does not say what is the amount'],
    ['reference=a', '--map amount=COLUMN,reference=a'],
    ['amount=a', 'does not say what is the reference'],
    ['amount=1', 'No amount stands'],
    ['amount=2', 'nothing identifies a line'],
    ['reference=a,amount=b,debit=c', 'not both'],
  ])('about --map %s', async (map, part) => {
    const failure = await refused(of('a;b;c', 'd;5;e'), { map });
    expect([failure.exitCode, failure.message]).toEqual([2, expect.stringContaining(part)]);
  });

  it.each([
    ['Nro;Monto;Fecha', 'a;1,50;22/11/2026', 'Nro'],
    ["N'ro;Concepto, $(x);Monto (Bs);Fecha", 'a;x;1,50;22/11/2026', "N'ro"],
    ['Doc;Debe;Haber;Moneda;Estado', 'a;1,50;;VES;Pagado', 'Doc'],
    ['Doc;reference date;amount;date', 'a;x;1,50;22/11/2026', 'Doc'],
  ])(
    'names in its map all that was found in %s, and what is filled in is read',
    async (header, row, column) => {
      const { message } = await refused(of(header, row));
      const [, typed = ''] = /^Add (--map .*)$/m.exec(message) ?? [];
      const [, map = ''] = wordsOf(`svc ${typed}`);
      const { lines, plan } = await readWhole(
        of(header, row),
        {
          ...{ map: map.replace('COLUMN', column), dateFormat: 'DD/MM/YYYY', decimal: 'comma' },
        },
        { currency: 'VES' },
      );
      expect(lines).toMatchObject([{ reference: 'a', amount: '1.5' }]);
      expect(plan.columns.length).toBeGreaterThan(2);
    },
  );

  it.each([
    ['Ref;Importe;Debe;Haber', 'a;1;2;'],
    ['Ref;Importe;importe;Fecha', 'a;1;2;22/11/2026'],
    ['Fecha;fecha;Ref;Importe', '22/11/2026;x;a;1'],
  ])(
    'says a map that takes the first of what may be meant in %s, and works when it is typed',
    async (header, row) => {
      const { message } = await refused(of(header, row));
      const [, typed = ''] = /^Say which by its number: (--map .*)$/m.exec(message) ?? [];
      const [, map = ''] = wordsOf(`svc ${typed}`);
      const { lines } = await readWhole(of(header, row), { map });
      expect(lines).toMatchObject([{ reference: 'a', amount: '1' }]);
    },
  );

  it('whose beginning does not decide is read through, where it can be read again', async () => {
    const lines = Array.from({ length: 60_000 }, (_, at) => `P-${at};1,5;0${(at % 9) + 1}/02/2026`);
    const text = of('Ref;Importe;Fecha', ...lines, 'P;1,5;13/02/2026');
    const { plan } = await readWhole(text);
    expect(plan.dateFormat).toBe('DD/MM/YYYY');
    const failure = await refused(text, {}, { isRepeatable: false });
    expect([failure.exitCode, failure.message]).toEqual([2, expect.stringContaining('It is read once')]);
  });
});

describe('a statement that can not be read', () => {
  it.each<readonly [string, string | Uint8Array, Partial<StatementOptions>, readonly string[]]>([
    ['is empty', '', {}, ['empty']],
    ['is one line of 2 MB', 'x'.repeat(2_000_000), {}, ['line 1: is longer than 131072 characters']],
    ['is one body of 2 MB', `{"reference":"${'x'.repeat(2_000_000)}`, {}, ['line 1: is longer than 131072']],
    [
      'has 200,000 columns',
      of(`Ref;Importe;${[...Array(200_000).keys()].join(';')}`),
      {},
      ['line 1: is longer than 131072 characters'],
    ],
    [
      'has a quote that is never closed',
      of(`"Ref;Importe${'x'.repeat(200_000)}`),
      {},
      ['line 1: a quote is opened here and never closed'],
    ],
    ['begins with what is no JSON', '{"reference":\n', {}, ['line 1: is not one JSON object']],
    ['is blank', '\n \n;;\n', {}, ['empty']],
    [
      'has an amount that is none',
      of('Ref;Importe', 'a;1,5', 'b;x', 'c;', 'd;9,80 X'),
      {},
      ['3 problems', 'line 3: Importe: "x"', 'line 4: Importe: is empty', '"9,80 X" is not a valid amount'],
    ],
    [
      'has another decimal mark below',
      of('Ref;Importe', 'a;1,5', 'b;1.5'),
      {},
      ['line 3: Importe: "1.5" is not a valid amount: the decimal mark is a comma; --decimal point reads it'],
    ],
    [
      'has another date order below',
      of('Ref;Importe;Fecha', 'a;1;13/01/2026', 'b;1;01/13/2026'),
      {},
      [
        'line 3: Fecha: "01/13/2026" is not a valid date: the order is DD/MM/YYYY; it is 2026-01-13 with --date-format MM/DD/YYYY',
      ],
    ],
    [
      'has a day that is none',
      of('Ref;Importe;Fecha', 'a;1;30/02/2026'),
      {},
      ['line 2: Fecha: "30/02/2026" is not a valid date'],
    ],
    ['has both sides filled', of('Ref;Debe;Haber', 'a;1;2'), {}, ['line 2: Debe: 1 is in it and 2 in Haber']],
    ['has neither side filled', of('Ref;Debe;Haber;Fecha', 'a;;;2026-11-22'), {}, ['line 2: Debe: is empty']],
    [
      'has debits of both signs',
      of('Ref;Debe;Haber', 'a;-1;', 'b;-2;', 'c;3;'),
      {},
      ['line 4: Debe: has another sign than the one of line 2'],
    ],
    ['has a negative credit', of('Ref;Debe;Haber', 'a;;-1'), {}, ['line 2: Haber: is negative']],
    [
      'has a direction that is none',
      of('Ref;Importe;Sentido', 'a;1;D', 'b;1;X'),
      { map: 'reference=Ref,amount=Importe,direction=Sentido' },
      ['line 3: Sentido: "X" says no direction'],
    ],
    [
      'takes back what it says of others',
      of('Ref;D/C;Importe', 'a;D;1', 'b;C;2', 'c;D;0', 'd;D;-1'),
      {},
      ['line 5: D/C: is a payout, and its amount has another sign than that of line 2'],
    ],
    [
      'takes back what it got',
      of('Ref;Tipo;Importe', 'a;Abono;1', 'b;Cargo;-2', 'c;Abono;-1'),
      {},
      ['line 4: Tipo: is a payin, and its amount has another sign than that of line 2'],
    ],
    [
      'says one direction and stands in the column of the other',
      of('Ref;D/C;Debe;Haber', 'a;D;1;', 'b;C;2;'),
      {},
      ['line 3: D/C: is a payin, and its amount stands where those of a payout do'],
    ],
    [
      'has a currency that is none',
      of('Ref;Importe;Moneda', 'a;1;Ref.'),
      { map: 'reference=Ref,amount=Importe,currency=Moneda' },
      ['line 2: Moneda: "Ref." is not a currency'],
    ],
    [
      'has currencies that are none, whatever is guessed of it',
      of('Ref;Importe;Moneda', 'a;1;VES', 'b;2;n/a'),
      {},
      ['line 3: Moneda: "n/a" is not a currency', 'add --currency'],
    ],
    [
      'has two symbols',
      of('Ref;Importe', 'a;€ 1', 'b;$2'),
      {},
      ['line 3: currency: has $ beside its amount, and line 2 has €'],
    ],
    [
      'has a symbol beside some amounts only',
      of('Ref;Debe;Haber', 'a;;1', 'b;$2;'),
      {},
      ['line 3: currency: has $ beside its amount, and line 2 has no symbol; where all are in one'],
    ],
    [
      'has money at its end that nothing names',
      of('Concepto;Ref;Importe', 'x;a;1', 'y;;2'),
      {},
      ['line 3: has no reference'],
    ],
    [
      'contradicts its currency',
      of('Ref;Importe;Moneda', 'a;USD 1;VES'),
      {},
      ['is VES, and USD stands beside'],
    ],
    ['has a formula', of('Ref;Importe', 'a;=1+1'), {}, ['is a formula: nothing is calculated']],
    [
      'has a reference that a spreadsheet has shortened',
      of('Ref;Importe', '1.23457E+12;1'),
      {},
      ['line 2: Ref: 1.23457E+12', 'digits are lost'],
    ],
    ...[
      ['Ref', '#N/D;1;D;2026-11-22;Pagado;VES'],
      ['Importe', 'a;########;D;2026-11-22;Pagado;VES'],
      ['Sentido', 'a;1;#N/D;2026-11-22;Pagado;VES'],
      ['Fecha', 'a;1;D;#¡REF!;Pagado;VES'],
      ['Estado', 'a;1;D;2026-11-22;#¡NULO!;VES'],
      ['Moneda', 'a;1;D;2026-11-22;Pagado;#NOME?'],
    ].flatMap(([column = '', line = '']): [string, string, Partial<StatementOptions>, string[]][] => {
      const header = 'Ref;Importe;Sentido;Fecha;Estado;Moneda';
      const values = line.split(';');
      const json = Object.fromEntries(header.split(';').map((name, at) => [name, values[at]]));
      const problem = `${column}: "${/#[^;]*/.exec(line)?.[0] ?? ''}" is what a program writes where it has no value`;
      const first = 'z;1;D;2026-11-23;Pagado;VES';
      return [
        [`has an error in ${column}`, of(header, first, line), {}, [`line 3: ${problem}`]],
        [`has an error in ${column}, as JSON`, of(JSON.stringify(json)), {}, [`line 1: ${problem}`]],
      ];
    }),
    ['has an object for a reference', of('Ref;Importe', '[object Object];1'), {}, ['line 2: Ref: "[object']],
    [
      'has an amount that a spreadsheet has shortened',
      of('Ref;Importe', 'a;1,5E+10'),
      {},
      ['digits are lost'],
    ],
    [
      'has a total in the middle',
      of('Ref;Importe', 'a;1', 'Total;1', 'b;1'),
      {},
      ['line 3: looks like a total, and stands between payments'],
    ],
    [
      'has a line of no reference in the middle',
      of('Ref;Importe', 'a;1', ';1', 'b;1'),
      {},
      ['line 3: has no reference, and stands between payments'],
    ],
    [
      'has another header below its first lines',
      of('Ref;Importe', 'a;1', 'Fecha;Referencia;Importe;Moneda', '2026-11-22;b;1;VES'),
      {},
      ['line 3: 4 cells, and the header has 2 columns'],
    ],
    [
      'has no header, and a first amount that is none',
      of('2026-11-22;P-1;1,2,3', '2026-11-23;P-2;1,5'),
      { map: 'date=1,reference=2,amount=3' },
      ['line 1: column 3: "1,2,3" is not a valid amount'],
    ],
    [
      'has cells beyond its header',
      of('Ref,Importe', 'a,1,50'),
      {},
      ['line 2: 3 cells, and the header has 2 columns'],
    ],
    ['has a broken quote', of('Ref;Importe', '"a"b;1'), {}, ['line 2: a quote stands inside a cell']],
    ['has an open quote', of('Ref;Importe', 'a;1', '"b;1', 'c;1'), {}, ['line 3: a quote is opened here']],
    ['has NUL', of('Ref;Importe', 'a\0;1'), {}, ['line 2: holds a NUL byte']],
    [
      'has a control character in a reference',
      of('Ref;Importe', '"a\nb";1'),
      {},
      ['line 2: Ref: holds a control character'],
    ],
    ['has a character that was lost', of('Ref;Importe', 'a\ufffd;1'), {}, ['line 2: Ref: holds']],
    [
      'is Latin-1',
      Buffer.from('Ref;Importe\na;1\nñ;2\n', 'latin1'),
      {},
      ['line 3: is not UTF-8', '--encoding latin1'],
    ],
    ['is half of UTF-16', Buffer.from('\ufeffRef;Importe\na;1', 'utf16le').subarray(0, 15), {}, ['utf16']],
    ['is a spreadsheet', Buffer.from('504b0304140006000800', 'hex'), {}, ['XLSX', 'Save it as CSV']],
    [
      'is a program',
      Buffer.concat([Buffer.from('7f454c46', 'hex'), Buffer.alloc(60), Buffer.from('a'.repeat(200))]),
      {},
      ['bank.csv is not text'],
    ],
    ['is a PDF', '%PDF-1.7', {}, ['PDF']],
    ['is a table of HTML that is called a spreadsheet', '<html><table>', {}, ['HTML']],
    ['is QIF', '!Tipo:Banco\nD28/11/2026\nT-980,00\n^\n', {}, ['is QIF', 'Export it as CSV or XLSX']],
    ['is QIF of accounts', '\ufeff!Account\nNCuenta\n^\n', {}, ['is QIF']],
    ['is MT940', ':20:D011\n:25:0017\n:60F:C261101VES1,00\n', {}, ['is MT940', 'CSV or XLSX']],
    ['is MT940 with its blocks', '{1:F01BANK}{2:O940}{4:\r\n:20:1\r\n', {}, ['is MT940']],
    ['is OFX', 'OFXHEADER:100\nDATA:OFXSGML\n<OFX>', {}, ['is OFX']],
    ['is OFX of XML', '<?xml version="1.0"?>\n<?OFX OFXHEADER="200"?>\n<OFX>', {}, ['is OFX']],
    [
      'is camt',
      '<?xml version="1.0"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">',
      {},
      ['camt'],
    ],
    ['is Cuaderno 43', '11010224310100000000261128\n22    01082612\n', {}, ['is Cuaderno 43']],
    [
      'is Cuaderno 43 of 80 characters',
      '11010224310100000000261128\n2201080102261128\n33\n',
      {},
      ['is Cuaderno 43'],
    ],
    [
      'is Cuaderno 43 with commas',
      '00,0098,261101,\n11,0108,2431,01,\n22,0108,4905,\n',
      {},
      ['is Cuaderno 43'],
    ],
    [
      'is fixed width',
      of(
        `01020211600000600000281120260000000000${'0'.repeat(60)}`,
        `01020211600000600000281120260000000001${'0'.repeat(60)}`,
      ),
      {},
      ['is text of fixed width', 'CSV or XLSX'],
    ],
    [
      'is fixed width with commas for decimals',
      of(
        'Fecha       Referencia    Monto',
        '28/11/2026  00000001    1.500,50',
        '28/11/2026  00000002      980,00',
      ),
      {},
      ['is text of fixed width'],
    ],
    [
      'is fixed width, whatever a map says',
      of('Fecha       Referencia    Monto', '28/11/2026  00000001    1.500,50'),
      { map: 'reference=Referencia,amount=Monto' },
      ['is text of fixed width'],
    ],
    [
      'ends in a line of fewer cells',
      of('Ref;Importe;Concepto', 'a;1;x', 'b;2'),
      {},
      ['line 3: has fewer cells than the lines above: the file may be cut off'],
    ],
    [
      'ends in the beginning of a date',
      'Fecha;Ref;Importe\n22/11/2026;a;1\n23/1',
      {},
      ['line 3: has fewer cells'],
    ],
    ['ends in words without an end', 'Ref;Importe\na;1\nPago a un prov', {}, ['line 3: has fewer cells']],
    ['is one line of fewer cells', of('Ref;Importe;Fecha', 'a;1'), {}, ['line 2: has fewer cells']],
    [
      'ends at a decimal mark',
      'Ref;Importe\na;1,50\nb;980,',
      {},
      ['line 3: Importe: "980," ends in its decimal mark: the file may be cut off'],
    ],
    ['ends in an open quote', 'Ref;Importe\na;1,50\n"b;98', {}, ['line 3: a quote is opened here']],
    [
      'has an amount of two signs',
      of('Ref;Importe', 'a;1,50', 'b;-1,50 C', 'c;--2', 'd;D 1 D'),
      {},
      ['"-1,50 C" has more than one sign', '"--2" has more', '"D 1 D" has more'],
    ],
    [
      'has a credit among debits',
      of('Ref;Debe;Haber', 'a;1,50 C;'),
      {},
      ['line 2: Debe: "1,50 C" says the other direction'],
    ],
    [
      'has one bad line of UTF-8',
      Buffer.concat([
        Buffer.from('Ref;Importe\na;1\n'),
        Buffer.from('ñ', 'latin1'),
        Buffer.from(';2\nññ;3\n'),
      ]),
      {},
      ['line 3: is not UTF-8, and the text around it is: correct the line'],
    ],
    [
      'is NDJSON with a name that is there twice',
      '{"reference":"a","amount":1}\n{"reference":"a","amount":1,"amount":2}',
      {},
      ['line 2: "amount" is there twice'],
    ],
    ['is one JSON array', '[{"reference":"a"}]', {}, ['JSON array', "jq -c '.[]'"]],
    [
      'is broken NDJSON',
      '{"reference":"a","amount":1}\n{"reference":\n7\n',
      {},
      ['line 2: is not one JSON object', 'line 3: is not'],
    ],
    [
      'is NDJSON with a list for a text',
      '{"reference":"a","amount":1}\n{"reference":["a"],"amount":1}\n',
      {},
      ['line 2: "reference" is neither a text nor a number'],
    ],
    ['is NDJSON with an exponent', '{"reference":"a","amount":1e3}', {}, ['line 1: amount: "1e3"']],
  ])('%s', async (_what, content, options, parts) => {
    const failure = await refused(content, options);
    expect([failure.exitCode, failure.message]).toEqual([14, expect.anything()]);
    for (const part of parts) expect(failure.message).toContain(part);
  });

  it.each([
    [Buffer.from('Ref;Importe\ná;1\n', 'latin1'), true],
    [Buffer.concat([Buffer.from('Ref;Importe\nññ;1\n'), Buffer.from([0xe1])]), false],
    [Buffer.concat([Buffer.from('Ref;Importe\nññ;1\nb;2'), Buffer.from([0xc3])]), false],
  ])('%#: Latin-1 is advised where nothing around it is UTF-8', async (content, isAdvised) => {
    expect((await refused(content)).message.includes('--encoding latin1')).toBe(isAdvised);
  });

  it('of which no line has a reference, and does not pass as one without payments', async () => {
    const failure = await refused(of('Ref;Importe', ';1', ';2'));
    expect(failure.message).toMatch(/2 problems[^]*line 2: has no reference\nline 3: has no reference$/);
    const words = Array.from({ length: 30 }, () => 'Saldo;1');
    expect((await refused(of('Ref;Importe', ...words))).message).toMatch(/10 problems/);
  });

  it('lists what is wrong to a bound, and counts the rest', async () => {
    const failure = await refused(of('Ref;Importe', ...Array.from({ length: 500 }, (_, at) => `P-${at};x`)));
    expect(failure.message).toMatch(/has 500 problems[^]*line 21: Importe[^]*and 480 more$/);
    expect(failure.facts.items).toHaveLength(21);
  });

  it('with what is wrong far below its beginning, and says how many lines there are before', async () => {
    const good = Array.from({ length: 60_000 }, (_, at) => `P-${at};1,50;22/11/2026`);
    const late = Buffer.concat([
      Buffer.from(of('Ref;Importe;Fecha', ...good)),
      Buffer.from('ñ;1;1\n', 'latin1'),
    ]);
    expect((await refused(late)).message).toContain('line 60002: is not UTF-8');
  });

  it('of a stream whose dates come too late', async () => {
    const good = Array.from({ length: 120_000 }, (_, at) => `P-${at};1000;`);
    const text = of('Ref;Importe;Fecha', ...good, 'a;1;03/04/2026', 'b;1;13/04/2026', 'c;1;03/04/2026');
    const failure = await refused(text, {}, { isRepeatable: false });
    expect(failure.message).toMatch(/has 1 problem[^]*line 120002: Fecha: "03\/04\/2026" is 2026-04-03 with/);
  });

  it('of a stream that decides too late', async () => {
    const good = Array.from({ length: 120_000 }, (_, at) => `P-${at};1000`);
    const text = of('Ref;Importe', ...good, 'a;1.234', 'b;1,5', 'c;1.234');
    const failure = await refused(text, {}, { isRepeatable: false });
    expect(failure.message).toContain(
      'line 120002: Importe: "1.234" is 1234 with --decimal comma and 1.234 with --decimal point',
    );
    expect(failure.message).toMatch(/has 1 problem/);
  });
});
