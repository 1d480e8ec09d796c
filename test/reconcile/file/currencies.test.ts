import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/runtime/failure.js';
import { readWhole } from './reading.js';

async function currencies(content: string, currency?: string): Promise<readonly (string | null)[] | string> {
  try {
    const { lines } = await readWhole(content, {}, currency === undefined ? {} : { currency });
    return lines.map((line) => line.currency);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return `${String(error.exitCode)} ${error.message}`;
  }
}

describe('a currency', () => {
  it.each<readonly [string, string, readonly (string | null)[]]>([
    ['of a symbol before', 'Ref;Importe\na;€ 1,50\nb;€2\n', ['EUR', 'EUR']],
    ['of a symbol behind', 'Ref;Importe\na;1,50 €\n', ['EUR']],
    ['of dollars by their symbol', 'Ref;Importe\na;US$ 1,50\nb;U$S 2\nc;USD 3\n', ['USD', 'USD', 'USD']],
    ['of bolívares by theirs', 'Ref;Importe\na;Bs.S 1,50\n', ['VES']],
    ['in the name of the amounts', 'Ref;Importe (€)\na;1,50\n', ['EUR']],
    ['in words in that name', 'Ref;Monto en dólares americanos\na;1,50\n', ['USD']],
    ['in the name of one of two', 'Fecha;Ref;Cargo;Abono (EUR)\n22/11/2026;a;1,50;\n', ['EUR']],
    ['each in its own name', 'Ref;Cargo USD;Abono EUR\na;1,50;\nb;;2\n', ['USD', 'EUR']],
    ['of a title', 'Banco\nMoneda: USD\nRef;Importe\na;1,50\n', ['USD']],
    ['of a title that is short', 'Mon.: EUR\nRef;Importe\na;1,50\n', ['EUR']],
    ['of a title in two cells', 'Divisa;EUR\nRef;Importe\na;1,50\n', ['EUR']],
    ['of a title in words', 'Moneda de la cuenta: Euros\nRef;Importe\na;1,50\n', ['EUR']],
    ['of a title on its way', 'Cuenta corriente en USD 0102\nRef;Importe\na;1,50\n', ['USD']],
    ['of another column', 'Ref;Importe;Saldo (USD)\na;1,50;9\n', ['USD']],
    ['in a column called Mon.', 'Ref;Importe;Mon.\na;1,50;USD\n', ['USD']],
    ['in a column called Curr', 'Ref;Importe;Curr\na;1,50;eur\n', ['EUR']],
    ['in a column called Divisa, by its symbol', 'Ref;Importe;Divisa\na;1,50;€\n', ['EUR']],
    ['in a column, in words', 'Ref;Importe;Moneda\na;1,50;Dólar estadounidense\n', ['USD']],
    ['of a symbol that a title explains', 'Moneda: MXN\nRef;Importe\na;$ 1,50\n', ['MXN']],
    ['of a symbol that a name explains', 'Ref;Importe (VES)\na;Bs. 1,50\n', ['VES']],
    [
      'of a line before that of a title',
      'Moneda: USD\nRef;Importe;Moneda\na;1,50;VES\nb;2;\n',
      ['VES', 'USD'],
    ],
    ['that nothing names', 'Banco de Ejemplo, Top 10\nRef;Importe;Saldo\na;1,50;9\n', [null]],
  ])('%s is read', async (_what, content, expected) => expect(await currencies(content)).toEqual(expected));

  it.each<readonly [string, string, string]>([
    [
      '$',
      'Ref;Importe\na;$ 1,50\n',
      '"$" may be USD, MXN, COP, ARS, CLP or another one: --currency says which',
    ],
    ['Bs', 'Ref;Importe\na;Bs. 1,50\n', '"Bs." may be BOB, VED, VEF or VES: --currency says which'],
    ['$ in the name', 'Ref;Importe ($)\na;1,50\n', 'the name of its column may be USD'],
    ['$ in its column', 'Ref;Importe;Moneda\na;1,50;$\n', '"$" may be USD'],
    ['a title in pesos', 'Moneda: pesos\nRef;Importe\na;1,50\n', '"Moneda: pesos" may be'],
    ['a title that says nothing known', 'Moneda: extranjera\nRef;Importe\na;1,50\n', 'not known here'],
    [
      'titles that differ',
      'Moneda: USD\nDivisa: EUR\nRef;Importe\na;1,50\n',
      '"Moneda: USD" and "Divisa: EUR"',
    ],
  ])('%s is asked about', async (_what, content, question) => {
    const asked = await currencies(content);
    expect(asked).toMatch(/^2 /);
    expect(asked).toContain(question);
  });

  it('is what --currency says of what may be several, where that is one of them', async () => {
    expect(await currencies('Ref;Importe\na;Bs. 1,50\n', 'VES')).toEqual(['VES']);
    expect(await currencies('Ref;Importe ($)\na;1,50\n', 'MXN')).toEqual(['MXN']);
    expect(await currencies('Moneda: pesos\nRef;Importe\na;1,50\n', 'COP')).toEqual(['COP']);
    const refused = await currencies('Ref;Importe\na;$ 1,50\n', 'VES');
    expect(refused).toMatch(/^14 /);
    expect(refused).toContain('and --currency says VES');
  });

  it('is what the line says, whatever --currency says of lines that name none', async () => {
    expect(await currencies('Ref;Importe\na;€ 1,50\nb;2\n', 'VES')).toEqual(['EUR', null]);
    expect(await currencies('Moneda: USD\nRef;Importe\na;1,50\n', 'VES')).toEqual(['USD']);
  });

  it.each([
    ['a total', 'Ref;Importe\na;1,50\nTotal;USD 1,50\n', 'line 3: says USD'],
    ['a balance above', 'Fecha;Ref;Importe\n;Saldo anterior;€ 9\n22/11/2026;a;1,50\n', 'line 2: says EUR'],
    ['a code beside the first only', 'Ref;Importe\na;USD 1,50\nb;2\n', 'line 3'],
  ])('that only %s names is not believed of the others', async (_what, content, problem) => {
    const refused = await currencies(content);
    expect(refused).toMatch(/^14 /);
    expect(refused).toContain(problem);
  });
});
