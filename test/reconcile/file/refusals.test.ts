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

/** A bar in the content is the end of a line. */
type Row = [parts: string | string[], content: string | Uint8Array, options?: Partial<StatementOptions>];

async function expectRefused(
  code: number,
  parts: readonly string[],
  given: Row[1],
  options?: Row[2],
): Promise<void> {
  const content = typeof given === 'string' ? given.replaceAll('|', '\n') : given;
  const failure = await refused(content, options);
  expect([failure.exitCode, failure.message]).toEqual([code, expect.anything()]);
  for (const part of parts) expect(failure.message).toContain(part);
}

const of = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;

describe('a statement is asked about', () => {
  it.each<Row>([
    [
      ['no column "Imprte"', 'line 1: 1 "Ref", 2 "Importe"'],
      'Ref;Importe|a;1|',
      { map: 'reference=Ref,amount=Imprte' },
    ],
    ['no column 9', 'Ref;Importe|a;1|', { map: 'reference=Ref,amount=9' }],
    [
      ['amount may be column 2 or 3', 'number'],
      'Ref;Importe;Importe|a;1;2|',
      { map: 'reference=Ref,amount=Importe' },
    ],
    ['No amount stands', 'a;b|c;d|', { map: 'reference=1,amount=2' }],
    [
      ['line 3', '2026-01-02 with --date-format DD/MM/YY, 2026-02-01 with --date-format MM/DD/YY'],
      of('Ref;Importe;Fecha', ...['01', '02', '03', '04', '05'].map((day) => `a;1;${day}/01/26`)),
    ],
    [['names its members', 'reference=data.reference'], '{"a":1}', { map: 'reference=1,amount=2' }],
    ['no --delimiter', '{"a":1}', { delimiter: 'comma' }],
    ['no column "amnt"', '{"reference":"a","amount":1}', { map: 'reference=reference,amount=amnt' }],
    [['utf8', '--encoding says latin1'], '\ufeffRef;Importe|', { encoding: 'latin1' }],
    ['--delimiter is "colons", and is comma', 'Ref|', { delimiter: 'colons' }],
    ['--delimiter', 'Ref|', { delimiter: 'a' }],
    ['--decimal is ",", and is comma or point', 'Ref|', { decimal: ',' }],
    ['--encoding is "ebcdic"', 'Ref|', { encoding: 'ebcdic' }],
    ['--date-format is "YYYY/DD/MM"', 'Ref|', { dateFormat: 'YYYY/DD/MM' }],
    ['--date-format', 'Ref|', { dateFormat: '' }],
  ])('%s', (parts, content, options) => expectRefused(2, [parts].flat(), content, options));

  const QUESTIONS: Readonly<Record<string, string | readonly string[]>> = {
    'Ref;Importe;importe|a;1;2|': 'amount may be column 2 or 3',
    'Ref;Importe;Debe;Haber|a;1;2;|': 'amount may be column 2 or 3 or 4',
    'a;b|x;y|': ['does not say what is the amount', '1 "a", 2 "b"', '--map reference=COLUMN'],
    'Ref;Importe|a;1.234|b;5.678|': [
      'line 2',
      '"1.234" is 1234 with --decimal comma, 1.234 with --decimal point',
    ],
    'Ref;Importe;Fecha|a;1;05/05/2026|b;1;03/04/2026|': [
      'line 3',
      '2026-04-03 with --date-format DD/MM/YYYY, 2026-03-04 with --date-format MM/DD/YYYY',
    ],
    'Ref;Importe;Fecha|a;1;22/11/26|':
      '2026-11-22 with --date-format DD/MM/YY, 2022-11-26 with --date-format YY-MM-DD',
    'Ref;Importe;Fecha|a;1;25/12/30|b;1;26/01/30|':
      '2030-12-25 with --date-format DD/MM/YY, 2025-12-30 with --date-format YY-MM-DD',
    'Ref;Importe;Fecha|a;1.234;03/04/2026|': ['--decimal', '--date-format'],
  };
  it.each(Object.entries(QUESTIONS))('by %j', (content, parts) => expectRefused(2, [parts].flat(), content));

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
  ])('names all that was found in %s, and is read when it is filled in', async (header, row, column) => {
    const { message } = await refused(of(header, row));
    const [, typed = ''] = /^Add (--map .*)$/m.exec(message) ?? [];
    const [, map = ''] = wordsOf(`svc ${typed}`);
    const { lines, plan } = await readWhole(
      of(header, row),
      { ...{ map: map.replace('COLUMN', column), dateFormat: 'DD/MM/YYYY', decimal: 'comma' } },
      { currency: 'VES' },
    );
    expect(lines).toMatchObject([{ reference: 'a', amount: '1.5' }]);
    expect(plan.columns.length).toBeGreaterThan(2);
  });

  it.each([
    ['Ref;Importe;Debe;Haber', 'a;1;2;'],
    ['Ref;Importe;importe;Fecha', 'a;1;2;22/11/2026'],
    ['Fecha;fecha;Ref;Importe', '22/11/2026;x;a;1'],
  ])('says a map that takes the first in %s, and works when it is typed', async (header, row) => {
    const { message } = await refused(of(header, row));
    const [, typed = ''] = /^Say which by its number: (--map .*)$/m.exec(message) ?? [];
    const [, map = ''] = wordsOf(`svc ${typed}`);
    const { lines } = await readWhole(of(header, row), { map });
    expect(lines).toMatchObject([{ reference: 'a', amount: '1' }]);
  });

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
  it.each<Row>([
    ['line 1: is longer than 131072 characters', 'x'.repeat(2_000_000)],
    ['line 1: is longer than 131072', `{"reference":"${'x'.repeat(2_000_000)}`],
    ['line 1: is longer than 131072 characters', of(`Ref;Importe;${[...Array(200_000).keys()].join(';')}`)],
    ['line 1: a quote is opened here and never closed', of(`"Ref;Importe${'x'.repeat(200_000)}`)],
    [
      'line 3: Sentido: "X" says no direction',
      'Ref;Importe;Sentido|a;1;D|b;1;X|',
      { map: 'reference=Ref,amount=Importe,direction=Sentido' },
    ],
    [
      'line 2: Moneda: "Ref." is not a currency',
      'Ref;Importe;Moneda|a;1;Ref.|',
      { map: 'reference=Ref,amount=Importe,currency=Moneda' },
    ],
    ...[
      ['Ref', '#N/D;1;D;2026-11-22;Pagado;VES'],
      ['Importe', 'a;########;D;2026-11-22;Pagado;VES'],
      ['Sentido', 'a;1;#N/D;2026-11-22;Pagado;VES'],
      ['Fecha', 'a;1;D;#¡REF!;Pagado;VES'],
      ['Estado', 'a;1;D;2026-11-22;#¡NULO!;VES'],
      ['Moneda', 'a;1;D;2026-11-22;Pagado;#NOME?'],
    ].flatMap(([column = '', line = '']): Row[] => {
      const header = 'Ref;Importe;Sentido;Fecha;Estado;Moneda';
      const values = line.split(';');
      const json = Object.fromEntries(header.split(';').map((name, at) => [name, values[at]]));
      const problem = `${column}: "${/#[^;]*/.exec(line)?.[0] ?? ''}" is what a program writes where it has no value`;
      const first = 'z;1;D;2026-11-23;Pagado;VES';
      return [
        [`line 3: ${problem}`, of(header, first, line)],
        [`line 1: ${problem}`, of(JSON.stringify(json))],
      ];
    }),
    [
      'line 1: column 3: "1,2,3" is not a valid amount',
      '2026-11-22;P-1;1,2,3|2026-11-23;P-2;1,5|',
      { map: 'date=1,reference=2,amount=3' },
    ],
    [['line 3: is not UTF-8', '--encoding latin1'], Buffer.from('Ref;Importe\na;1\nñ;2\n', 'latin1')],
    ['utf16', Buffer.from('\ufeffRef;Importe\na;1', 'utf16le').subarray(0, 15)],
    [['XLSX', 'Save it as CSV'], Buffer.from('504b0304140006000800', 'hex')],
    [
      'bank.csv is not text',
      Buffer.concat([Buffer.from('7f454c46', 'hex'), Buffer.alloc(60), Buffer.from('a'.repeat(200))]),
    ],
    [
      ['is text of fixed width', 'CSV or XLSX'],
      of(
        `01020211600000600000281120260000000000${'0'.repeat(60)}`,
        `01020211600000600000281120260000000001${'0'.repeat(60)}`,
      ),
    ],
    [
      'is text of fixed width',
      'Fecha       Referencia    Monto|28/11/2026  00000001    1.500,50|',
      { map: 'reference=Referencia,amount=Monto' },
    ],
    [
      'line 3: is not UTF-8, and the text around it is: correct the line',
      Buffer.concat([
        Buffer.from('Ref;Importe\na;1\n'),
        Buffer.from('ñ', 'latin1'),
        Buffer.from(';2\nññ;3\n'),
      ]),
    ],
  ])('%s', (parts, content, options) => expectRefused(14, [parts].flat(), content, options));

  const PROBLEMS: Readonly<Record<string, string | readonly string[]>> = {
    '': 'empty',
    '{"reference":|': 'line 1: is not one JSON object',
    '| |;;|': 'empty',
    'Ref;Importe|a;1,5|b;x|c;|d;9,80 X|': [
      '3 problems',
      'line 3: Importe: "x"',
      'line 4: Importe: is empty',
      '"9,80 X" is not a valid amount',
    ],
    'Ref;Importe|a;1,5|b;1.5|':
      'line 3: Importe: "1.5" is not a valid amount: the decimal mark is a comma; --decimal point reads it',
    'Ref;Importe;Fecha|a;1;13/01/2026|b;1;01/13/2026|':
      'line 3: Fecha: "01/13/2026" is not a valid date: the order is DD/MM/YYYY; it is 2026-01-13 with --date-format MM/DD/YYYY',
    'Ref;Importe;Fecha|a;1;30/02/2026|': 'line 2: Fecha: "30/02/2026" is not a valid date',
    'Ref;Debe;Haber|a;1;2|': 'line 2: Debe: 1 is in it and 2 in Haber',
    'Ref;Debe;Haber;Fecha|a;;;2026-11-22|': 'line 2: Debe: is empty',
    'Ref;Debe;Haber|a;-1;|b;-2;|c;3;|': 'line 4: Debe: has another sign than the one of line 2',
    'Ref;Debe;Haber|a;;-1|': 'line 2: Haber: is negative',
    'Ref;D/C;Importe|a;D;1|b;C;2|c;D;0|d;D;-1|':
      'line 5: D/C: is a payout, and its amount has another sign than that of line 2',
    'Ref;Tipo;Importe|a;Abono;1|b;Cargo;-2|c;Abono;-1|':
      'line 4: Tipo: is a payin, and its amount has another sign than that of line 2',
    'Ref;D/C;Debe;Haber|a;D;1;|b;C;2;|':
      'line 3: D/C: is a payin, and its amount stands where those of a payout do',
    'Ref;Importe;Moneda|a;1;VES|b;2;n/a|': ['line 3: Moneda: "n/a" is not a currency', 'add --currency'],
    'Ref;Importe|a;€ 1|b;$2|': 'line 3: currency: has $ beside its amount, and line 2 has €',
    'Ref;Debe;Haber|a;;1|b;$2;|':
      'line 3: currency: has $ beside its amount, and line 2 has no symbol; where all are in one',
    'Concepto;Ref;Importe|x;a;1|y;;2|': 'line 3: has no reference',
    'Ref;Importe;Moneda|a;USD 1;VES|': 'is VES, and USD stands beside',
    'Ref;Importe|a;=1+1|': 'is a formula: nothing is calculated',
    'Ref;Importe|1.23457E+12;1|': ['line 2: Ref: 1.23457E+12', 'digits are lost'],
    'Ref;Importe|[object Object];1|': 'line 2: Ref: "[object',
    'Ref;Importe|a;1,5E+10|': 'digits are lost',
    'Ref;Importe|a;1|Total;1|b;1|': 'line 3: looks like a total, and stands between payments',
    'Ref;Importe|a;1|;1|b;1|': 'line 3: has no reference, and stands between payments',
    'Ref;Importe|a;1|Fecha;Referencia;Importe;Moneda|2026-11-22;b;1;VES|':
      'line 3: 4 cells, and the header has 2 columns',
    'Ref,Importe|a,1,50|': 'line 2: 3 cells, and the header has 2 columns',
    'Ref;Importe|"a"b;1|': 'line 2: a quote stands inside a cell',
    'Ref;Importe|a;1|"b;1|c;1|': 'line 3: a quote is opened here',
    'Ref;Importe|a\u0000;1|': 'line 2: holds a NUL byte',
    'Ref;Importe|"a\nb";1|': 'line 2: Ref: holds a control character',
    'Ref;Importe|a�;1|': 'line 2: Ref: holds',
    '%PDF-1.7': 'PDF',
    '<html><table>': 'HTML',
    '!Tipo:Banco|D28/11/2026|T-980,00|^|': ['is QIF', 'Export it as CSV or XLSX'],
    '\ufeff!Account|NCuenta|^|': 'is QIF',
    ':20:D011|:25:0017|:60F:C261101VES1,00|': ['is MT940', 'CSV or XLSX'],
    '{1:F01BANK}{2:O940}{4:\r|:20:1\r|': 'is MT940',
    'OFXHEADER:100|DATA:OFXSGML|<OFX>': 'is OFX',
    '<?xml version="1.0"?>|<?OFX OFXHEADER="200"?>|<OFX>': 'is OFX',
    '<?xml version="1.0"?>|<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">': 'camt',
    '11010224310100000000261128|22    01082612|': 'is Cuaderno 43',
    '11010224310100000000261128|2201080102261128|33|': 'is Cuaderno 43',
    '00,0098,261101,|11,0108,2431,01,|22,0108,4905,|': 'is Cuaderno 43',
    'Fecha       Referencia    Monto|28/11/2026  00000001    1.500,50|28/11/2026  00000002      980,00|':
      'is text of fixed width',
    'Ref;Importe;Concepto|a;1;x|b;2|':
      'line 3: has fewer cells than the lines above: the file may be cut off',
    'Fecha;Ref;Importe|22/11/2026;a;1|23/1': 'line 3: has fewer cells',
    'Ref;Importe|a;1|Pago a un prov': 'line 3: has fewer cells',
    'Ref;Importe;Fecha|a;1|': 'line 2: has fewer cells',
    'Ref;Importe|a;1,50|b;980,': 'line 3: Importe: "980," ends in its decimal mark: the file may be cut off',
    'Ref;Importe|a;1,50|"b;98': 'line 3: a quote is opened here',
    'Ref;Importe|a;1,50|b;-1,50 C|c;--2|d;D 1 D|': [
      '"-1,50 C" has more than one sign',
      '"--2" has more',
      '"D 1 D" has more',
    ],
    'Ref;Debe;Haber|a;1,50 C;|': 'line 2: Debe: "1,50 C" says the other direction',
    '{"reference":"a","amount":1}|{"reference":"a","amount":1,"amount":2}': 'line 2: "amount" is there twice',
    '[{"reference":"a"}]': ['JSON array', "jq -c '.[]'"],
    '{"reference":"a","amount":1}|{"reference":|7|': ['line 2: is not one JSON object', 'line 3: is not'],
    '{"reference":"a","amount":1}|{"reference":["a"],"amount":1}|':
      'line 2: "reference" is neither a text nor a number',
    '{"reference":"a","amount":1e3}': 'line 1: amount: "1e3"',
  };
  it.each(Object.entries(PROBLEMS))('by %j', (content, parts) => expectRefused(14, [parts].flat(), content));

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
