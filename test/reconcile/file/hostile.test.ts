import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Failure } from '../../../src/runtime/failure.js';
import type { StatementOptions } from '../../../src/reconcile/file/plan.js';
import { readWhole } from './reading.js';
import { rounds } from '../../support/rounds.js';

async function endOf(content: string | Uint8Array, options: Partial<StatementOptions> = {}): Promise<string> {
  try {
    const { lines } = await readWhole(content, options, { isRepeatable: false, pieceBytes: 50 });
    for (const { amount, date } of lines) {
      expect(amount).toMatch(/^(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?$/);
      if (date !== null) expect(date).toMatch(/^(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}$/);
    }
    return 'read';
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    expect(error.message).toContain('Nothing was reconciled');
    return error.kind;
  }
}

const ENDS = ['read', 'usage', 'bad_file'];

it('of any bytes', async () => {
  const encoding = fc.constantFrom(null, 'utf8', 'latin1', 'utf16');
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), encoding, async (bytes, said) => {
      expect(ENDS).toContain(await endOf(bytes, { encoding: said }));
    }),
    { numRuns: rounds(300) },
  );
});

it('of any words of banks in any places', async () => {
  const word = fc.constantFrom(
    ...['Referencia', 'Importe', 'Fecha', 'Débito', 'Crédito', 'D/C', 'Moneda', 'Total', 'Saldo'],
    ...['P-1', 'VES'],
    ...['1.234', '1,5', '-1', '(2)', '=1+1', '="01"', "'9", '1E+12', '03/04/2026', '13/11/26'],
    ...['2026-11-22', 'C', 'D'],
    ...['"', '""', '"a;b"', '', ' ', '\0', '\u202e', '\ufeff', '\ud800', '{'],
    ...['[', '{"reference":"a","amount":1}'],
    ...['__proto__', 'constructor', 'x'.repeat(200), ';'.repeat(50)],
  );
  const text = fc.array(fc.tuple(word, fc.constantFrom(';', ';', ',', '\n', '\n', '\r\n', '\t')), {
    maxLength: 40,
  });
  const header = fc.constantFrom('', 'Referencia;Importe;Fecha\n', 'reference,debit,credit,currency\n');
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(header, text, async (first, parts) => {
      const end = await endOf(first + parts.flat().join(''));
      seen.add(end);
      expect(ENDS).toContain(end);
    }),
    { numRuns: rounds(1000) },
  );
  expect([...seen].sort()).toEqual([...ENDS].sort());
});

it('of NDJSON of any values', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.json({ maxDepth: 3 }), { maxLength: 5 }), async (values) => {
      const lines = ['{"reference":"a","amount":"1.5"}', ...values];
      expect(ENDS).toContain(await endOf(lines.join('\n'), { map: 'reference=reference,amount=amount' }));
      const nested = values.map((value) => `{"reference":${value},"amount":${value},"date":${value}}`);
      expect(ENDS).toContain(await endOf(nested.join('\n')));
    }),
    { numRuns: rounds(300) },
  );
});

it.each([
  ['cells without an end', `Referencia;Importe\n${';'.repeat(120_000)}\nP-1;1\n`],
  ['columns without an end', `Referencia;Importe;${'a;'.repeat(60_000)}\nP-1;1\n`],
  ['spaces without an end', `Referencia;Importe\nP-1;${' '.repeat(100_000)}x\n`],
  ['quotes without an end', `Referencia;Importe\n${'""'.repeat(60_000)};1\n`],
  ['signs without an end', `Referencia;Importe\nP-1;${'-'.repeat(100_000)}\n`],
  ['digits without an end', `Referencia;Importe;Fecha\nP-1;${'1,'.repeat(50_000)};${'1/'.repeat(20)}\n`],
  ['a member that is deep', `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}\n`],
  ['a title that is one word', `${'título '.repeat(15_000)}\nReferencia;Importe\nP-1;1\n`],
])('of %s', async (_what, content) => {
  expect(ENDS).toContain(await endOf(content));
  expect(ENDS).toContain(await endOf(content, { map: 'reference=referencia propia,amount=importe' }));
});
