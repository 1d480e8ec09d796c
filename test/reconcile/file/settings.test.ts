import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMap, parseMap } from '../../../src/reconcile/file/settings.js';
import { columnFinder } from '../../../src/sheet/column-map.js';
import { directionWord, meaningOf } from '../../../src/reconcile/file/column-words.js';
import { beginsWithTotal } from '../../../src/sheet/words.js';

describe('a map', () => {
  it.each([
    ['reference=Ref,amount=Importe', { reference: 'Ref', amount: 'Importe' }],
    [' Reference = Ref cliente , AMOUNT = 3 ', { reference: 'Ref cliente', amount: 3 }],
    ['reference=Ref, cliente,amount=Importe', { reference: 'Ref, cliente', amount: 'Importe' }],
    ['reference="Ref, amount=x",amount="2026"', { reference: 'Ref, amount=x', amount: '2026' }],
    ['reference="a ""b""" ,amount=b', { reference: 'a "b"', amount: 'b' }],
    ['reference=a=b,debit=c,credit=d', { reference: 'a=b', debit: 'c', credit: 'd' }],
    [
      'id=a,bank_reference=data.bank_reference,amount=b',
      { id: 'a', bank_reference: 'data.bank_reference', amount: 'b' },
    ],
  ])('%s', (text, entries) => {
    expect(parseMap(text)).toHaveLength(Object.keys(entries).length);
    expect(Object.fromEntries(parseMap(text).map(({ field, column }) => [field, column]))).toEqual(entries);
  });

  it('names a column as it stands there, else whatever its case, accents and spaces', () => {
    expect(columnFinder(['NUMERO DE REF', 'x'])('Número  de ref')).toEqual([0]);
    expect(columnFinder(['Ref', 'ref', 'REF'])('ref')).toEqual([1]);
    expect(columnFinder(['Ref', 'ref', 'x'])('rEf')).toEqual([0, 1]);
    expect(columnFinder(['y'])('x')).toEqual([]);
  });

  it('is read back as it is written', () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'É', '1', '2', ' ', ',', '=', '"', "'", '\n', '\u200b', '-'),
      maxLength: 8,
    });
    const headers = fc.array(fc.oneof(name, fc.constantFrom('1', '2', 'amount=', ',amount=x', 'Ref')), {
      minLength: 2,
      maxLength: 5,
    });
    fc.assert(
      fc.property(headers, fc.nat(), fc.nat(), (names, one, other) => {
        const header = names.map((given) => given.trim());
        const [first, second] = [one % header.length, other % header.length];
        const columns = [
          { field: 'reference' as const, name: header[first] ?? '', index: first },
          { field: 'amount' as const, name: header[second] ?? '', index: second },
        ];
        const text = formatMap(columns, header);
        expect(text).not.toMatch(/[\n\u200b]/);
        const places = parseMap(text).map(({ column }) =>
          typeof column === 'number' ? [column - 1] : columnFinder(header)(column),
        );
        expect(places).toEqual([[first], [second]]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the words of banks', () => {
  it.each([
    ['reference', ['Referencia', 'Nº de Referencia', 'REFERENCIA DEL CLIENTE']],
    ['bank_reference', ['Referencia bancaria', 'Comprobante']],
    ['amount', ['Importe (EUR)', 'Monto Bs.', 'Valor (R$)', 'Valor da Operação']],
    ['date', ['Fecha de la operación', 'Data Lançamento']],
    ['debit', ['Débito', 'Cargos']],
    ['credit', ['Abono']],
    ['direction', ['D/C']],
    ['currency', ['Moneda']],
    ['id', ['operation_id']],
    [null, ['Saldo', 'Concepto', '', 'constructor', 'N°']],
  ])('%j is what %j mean', (field, names) => {
    expect(names.map((name) => meaningOf(name)?.field ?? null)).toEqual(names.map(() => field));
  });

  it.each([
    ['payin', 'in IN Pay-in C H + Haber ABONO entrada Crédito Ingreso recebido Cr. N/C Nota_de_Crédito'],
    ['payout', 'out payout D - Debe cargo saída salida Débito Egreso Pago DR N/D nota-de-débito'],
    [null, 'x ? transfer constructor 1'],
  ])('%j is said by %s', (direction, words) => {
    for (const word of words.split(' ')) expect([word, directionWord(word)]).toEqual([word, direction]);
  });

  it('knows totals from references', () => {
    for (const word of [
      ...['Total', 'TOTALES', 'total: 5', 'Saldo final', 'Suma', 'Subtotal', 'Sub-total', 'SALDO ANTERIOR'],
    ])
      expect([word, beginsWithTotal(word)]).toEqual([word, true]);
    for (const word of ['TOTAL-0001', 'Totality', 'P-1', '', 'Saldos-1'])
      expect([word, beginsWithTotal(word)]).toEqual([word, false]);
  });
});
