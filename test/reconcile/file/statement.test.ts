import { describe, expect, it } from 'vitest';
import { flagsOf, planSentences } from '../../../src/reconcile/file/plan-words.js';
import type { StatementOptions } from '../../../src/reconcile/file/plan.js';
import { HOSTILE_WORDS, wordsOf } from '../../support/typed.js';
import { readWhole } from './reading.js';

async function told(
  content: string | Uint8Array,
  options: Partial<StatementOptions> = {},
): Promise<readonly string[]> {
  const { lines } = await readWhole(content, options);
  return lines.map(
    ({ line, id, reference, bankReference, direction, isNegative, currency, amount, date }) => {
      const keys = [id, reference, bankReference].filter((key) => key !== null).join('/');
      const way = direction ?? (isNegative ? '-' : '+');
      return [line, keys, way, amount, ...(currency === null ? [] : [currency]), date ?? 'undated'].join(' ');
    },
  );
}

const TITLES = 'Banco de Ejemplo, C.A.\nAv. Principal, Caracas\n\nCuenta: 0102-0000\nDesde: 01/11/2026\n';

const HOSTILE_NAMES = HOSTILE_WORDS.filter((word) => !word.includes('\n'));

describe('a statement', () => {
  it.each(HOSTILE_NAMES)('whose column is called %j says a line that a shell reads so', async (name) => {
    const content = `${JSON.stringify(name).replaceAll('\\"', '""')};Ref;Importe\n1;a;1,5\n`;
    const map = `bank_reference="${name.replaceAll('"', '""')}",reference=Ref,amount=Importe`;
    const { plan } = await readWhole(content, { map });
    const [line = ''] = planSentences(plan, 'bank.csv').filter((sentence) =>
      sentence.startsWith('To set this'),
    );
    const words = wordsOf(line.replace('To set this yourself:', 'svc'));
    expect(words).toEqual(flagsOf(plan));
    expect(await told(content, { map: words[1] ?? '' })).toEqual(['2 a/1 + 1.5 undated']);
  });

  const PLAIN: Readonly<Record<string, string>> = {
    'Reference,Amount,Currency,Date,Direction\nP-1,10.50,VES,2026-11-22,payout\nP-2,1000,ves,2026-11-23,in\n':
      '2 P-1 payout 10.5 VES 2026-11-22, 3 P-2 payin 1000 VES 2026-11-23',
    'Data;Nº Referência;Valor (R$);Saldo\n01-dez-2026;P-1;-1.500,00;0,00\n02-dez-2026;P-2;20,00;20,00\n':
      '2 P-1 - 1500 BRL 2026-12-01, 3 P-2 + 20 BRL 2026-12-02',
    'Ref;Debe;Haber\na;0,00;\nb;;0\nc;0;0,00\nd;1,50;\n':
      '2 a + 0 undated, 3 b + 0 undated, 4 c + 0 undated, 5 d payout 1.5 undated',
    'FECHA\tREF.\tD/H\tMONTO\n22/11/2026\tP-1\tD\t5,00\n23/11/2026\tP-2\tH\t6,00\n':
      '2 P-1 payout 5 2026-11-22, 3 P-2 payin 6 2026-11-23',
    'date|reference|amount\n2026-11-22|P-1|(1,234.50)\n2026-11-22|P-2|7.00-\n2026-11-22|P-3|7.00\n':
      '2 P-1 - 1234.5 2026-11-22, 3 P-2 - 7 2026-11-22, 4 P-3 + 7 2026-11-22',
    'date,ref,amount\n11/22/2026 14:30,P-1,1.5\n3/4/2026 9:05 AM,P-2,2.5\n':
      '2 P-1 + 1.5 2026-11-22, 3 P-2 + 2.5 2026-03-04',
    'date,ref,amount\n22/11/26,P-1,1\n23/11/26,P-2,2\n24/11/26,P-3,3\n25/11/26,P-4,4\n01/12/26,P-5,5\n':
      '2 P-1 + 1 2026-11-22, 3 P-2 + 2 2026-11-23, 4 P-3 + 3 2026-11-24, 5 P-4 + 4 2026-11-25, 6 P-5 + 5 2026-12-01',
    'id,bank reference,amount\n0198C0DE-0000-7000-8000-00000000000A,="0012",\'10.00\n,0013,="11.00"\n':
      '2 0198c0de-0000-7000-8000-00000000000a/0012 + 10 undated, 3 0013 + 11 undated',
    'ref,amount\nP-1,USD 10.00\nP-2,10.00 VES\nP-3,€5.00\nP-4,US$6.00\n':
      '2 P-1 + 10 USD undated, 3 P-2 + 10 VES undated, 4 P-3 + 5 EUR undated, 5 P-4 + 6 USD undated',
    'Ref;Monto (USD)\nP-1;1,50\n': '2 P-1 + 1.5 USD undated',
    'Ref;MONTO (NET)\nP-1;1,50\n': '2 P-1 + 1.5 undated',
    'Referencia;Importe\nSaldo factura 7;1\nP-1;2\nTotal Energies 9;3\nTotal general;6\n':
      '2 Saldo factura 7 + 1 undated, 3 P-1 + 2 undated, 4 Total Energies 9 + 3 undated',
    'Concepto;Ref;Importe;Fecha\nSaldo anterior;;9;\nPago;P-1;2;22/11/2026\nSaldo factura 7;P-2;3;\nSaldo al 30/11/2026;;9;\n':
      '3 P-1 + 2 2026-11-22, 4 P-2 + 3 undated',
    'Referencia;Importe;Fecha\nSaldo;1,50;22/11/2026\nSuma;2;23/11/2026\nP-1;3;23/11/2026\nSaldo;4,50;\n':
      '2 Saldo + 1.5 2026-11-22, 3 Suma + 2 2026-11-23, 4 P-1 + 3 2026-11-23',
    'Referencia;Importe;Beneficiario\nSaldo;1,50;Nombre Apellido\nP-1;3;Nombre\nSuma total;4,50;\n':
      '2 Saldo + 1.5 undated, 3 P-1 + 3 undated',
    'Beneficiario;Referencia;Importe;Fecha\nSuma Gestion;P-1;1,50;22/11/2026\nTotal;;1,50;\n':
      '2 P-1 + 1.5 2026-11-22',
    'ref,type,amount\nP-1,transfer,1\nP-2,mobile,2\n': '2 P-1 + 1 undated, 3 P-2 + 2 undated',
    'sep=;\nref;amount\nP-1;1,5\n': '3 P-1 + 1.5 undated',
    'ref;;amount;;date;;\nP-1;;1,5\n;;;;;;\nref;;amount;;date;;\nP-2;;2,5;;2026-11-22;;;;\n\n':
      '2 P-1 + 1.5 undated, 5 P-2 + 2.5 2026-11-22',
    'reference,amount\n': '',
    '{"reference":"P-1","amount":1,"type":"transfer"}\n': '1 P-1 + 1 undated',
    'Ref;Importe;D/H\na;0,00;D\nb;-5,50;D\nc;-6,50;D\n':
      '2 a payout 0 undated, 3 b payout 5.5 undated, 4 c payout 6.5 undated',
    '{"id":"0198c0de-0000-7000-8000-00000000000a","reference":"P-1","amount":"1.50","type":"payin","confirmed_at":"2026-11-22T01:00:00Z","status":"confirmed"}\n':
      '1 0198c0de-0000-7000-8000-00000000000a/P-1 payin 1.5 2026-11-22',
    '{"fee":{"amount":"9"},"amount":"1.50","reference":"P-1","bankReference":null,"currency":"VES"}\n{"amount":"2","reference":"P-2","bankReference":"b"}':
      '1 P-1 + 1.5 VES undated, 2 P-2/b + 2 undated',
  };
  it.each<[content: string, lines: string, options?: Partial<StatementOptions>]>([
    ...Object.entries(PLAIN).map((row): [string, string] => row),
    [
      `${TITLES}Fecha;Referencia;Concepto;Débito;Crédito;Saldo\n;;SALDO ANTERIOR;;;9.000,00\n01/11/2026;;Saldo inicial;;;9.000,00\n13/11/2026;P-1;Pago;1.234,50;;7.765,50\n14/11/2026;P-2;Abono;0,00;10,00;7.775,50\n;;Totales;1.234,50;10,00;\nSaldo final;;;;;7.775,50\n`,
      '9 P-1 payout 1234.5 2026-11-13, 10 P-2 payin 10 2026-11-14',
    ],
    [
      '"Su Referéncia";"Importe, EUR";"a=b";Nota "x"\nP-1;1,5;22.11.2026;z\n',
      '2 P-1/z + 1.5 EUR 2026-11-22',
      { map: 'reference=su referencia,amount="Importe, EUR",date="A=B",bank_reference=nota "x"' },
    ],
    [
      '2026-11-22;1,50;P-1\n2026-11-23;2,50;P-2\n',
      '1 P-1 + 1.5 2026-11-22, 2 P-2 + 2.5 2026-11-23',
      { map: 'date=1,amount=2,reference=3' },
    ],
    [
      'Banco\n\nFecha;Importe;Importe\n2026-11-22;P-1;2,50\n',
      '4 P-1 + 2.5 2026-11-22',
      { map: 'date=1,reference=2,amount=3' },
    ],
    [
      '{"data":{"ref":"P-1","amount":12345678901234567.89},"when":"2026-11-22T10:00:00Z"}\n\n{"data":{"ref":7,"amount":"1.50"}}\n',
      '1 P-1 + 12345678901234567.89 2026-11-22, 3 7 + 1.5 undated',
      { map: 'reference=data.ref,amount=data.amount,date=when' },
    ],
    [
      '{"reference":"P-1","amount":"1,5"}\n{"reference":"P-2","amount":2.5}\n',
      '1 P-1 + 1.5 undated, 2 P-2 + 2.5 undated',
      { decimal: 'comma' },
    ],
  ])('%j is %j', async (content, lines, options = {}) => {
    expect((await told(content, options)).join(', ')).toBe(lines);
    const { plan } = await readWhole(content, options);
    const [map, said] = [flagsOf(plan)[1] ?? '', Object.fromEntries(pairs(flagsOf(plan)))];
    const again = {
      ...{ map, delimiter: said['--delimiter'] ?? null, decimal: said['--decimal'] ?? null },
      ...{ encoding: said['--encoding'] ?? null, dateFormat: said['--date-format'] ?? null },
    };
    expect((await told(content, again)).join(', ')).toBe(lines);
  });

  it.each([
    ['line feeds', (text: string) => Buffer.from(text)],
    ['both line ends', (text: string) => Buffer.from(text.replaceAll('\n', '\r\n'))],
    ['carriage returns', (text: string) => Buffer.from(text.replaceAll('\n', '\r'))],
    ['a mark of UTF-8', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 without a mark', (text: string) => Buffer.from(text, 'utf16le')],
    ['UTF-16 the other way without a mark', (text: string) => Buffer.from(text, 'utf16le').swap16()],
    ['UTF-16 the other way', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('is the same with %s', async (_what, write) => {
    const text = 'Referencia;Descripción;Importe\nP-ñ😀;"a ""b""; c";1,50\nP-2;;2,50\n';
    expect(await told(write(text))).toEqual(['2 P-ñ😀 + 1.5 undated', '3 P-2 + 2.5 undated']);
  });

  it('in Latin-1 is read where that is said, as Windows writes it', async () => {
    const bytes = Buffer.from('Descripción;Referencia;Importe\n\x80;Ñ-1\x96;1,50\n', 'latin1');
    expect(await told(bytes, { encoding: 'latin1' })).toEqual(['2 Ñ-1– + 1.5 undated']);
  });

  it('says what was believed of it and what was left out', async () => {
    const text = `${TITLES}Fecha;Referencia;Débito;Crédito\n13/11/2026;P-1;1,50;\nTotal;;1,50;\nDocumento sin valor\n`;
    const { plan, ending } = await readWhole(text);
    expect(planSentences(plan, 'bank.csv')).toEqual([
      'bank.csv is read as CSV in UTF-8, semicolon between cells, header in line 6, decimal mark: comma, dates as DD/MM/YYYY.',
      'Columns: date is "Fecha", reference is "Referencia", debit is "Débito", credit is "Crédito".',
      'No column: currency.',
      'Ignored above the header: lines 1 to 5.',
      "To set this yourself: --map 'date=Fecha,reference=Referencia,debit=Débito,credit=Crédito' --delimiter semicolon --decimal comma --encoding utf8 --date-format DD/MM/YYYY",
    ]);
    expect(ending).toEqual({
      lines: 1,
      skipped: [
        { line: 8, text: 'Total 1,50', why: 'looks like a total' },
        { line: 9, text: 'Documento sin valor', why: 'is one cell alone' },
      ],
      skippedCount: 2,
      hasNegatives: false,
    });
  });

  it('says the format of its dates as it was said', async () => {
    const content = 'Ref;Importe;Fecha\na;1,5;22/11/26\n';
    const { plan, lines } = await readWhole(content, { dateFormat: 'DD/MM/YY' });
    expect([plan.dateFormat, lines[0]?.date]).toEqual(['DD/MM/YY', '2026-11-22']);
  });

  it('says what it left out wherever it stands: a balance of nothing, a total by another column', async () => {
    const text =
      'Fecha;Referencia;Concepto;Importe\n13/11/2026;P-1;Pago;1,50\n;;Saldo al 13/11/2026;0,00\n13/11/2026;P-2;!nota: <x>;2,00\n14/11/2026;0000;SALDO;0\n14/11/2026;Saldo final;;0,00\n;;TOTAL GENERAL;3,50\n';
    const { lines, ending } = await readWhole(text, { dateFormat: 'DD/MM/YYYY' });
    expect(lines.map(({ reference }) => reference)).toEqual(['P-1', 'P-2']);
    expect(ending.skipped.map(({ line, why }) => [line, why])).toEqual([
      [3, 'is a balance, and its amount is 0'],
      [5, 'is a balance, and its amount is 0'],
      [6, 'is a balance, and its amount is 0'],
      [7, 'looks like a total'],
    ]);
  });

  it('may have twenty lines below its last payment, and no more', async () => {
    const below = (count: number): string => `ref,amount\na,1\n${'Total,1\n'.repeat(count)}`;
    expect((await readWhole(below(20))).ending.skippedCount).toBe(20);
    await expect(readWhole(below(21))).rejects.toThrow('stands between payments');
  });

  it('knows whether any of its amounts is negative', async () => {
    expect((await readWhole('ref,amount\na,1\nb,-1\n')).ending.hasNegatives).toBe(true);
    expect((await readWhole('ref,amount\na,-1\nb,1\n')).ending.hasNegatives).toBe(true);
    expect((await readWhole('ref,amount\na,1\nb,-0.00\n')).ending.hasNegatives).toBe(false);
  });
});

function pairs(words: readonly string[]): readonly (readonly [string, string])[] {
  return words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? ''] as const] : []));
}
