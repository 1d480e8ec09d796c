import { describe, expect, it } from 'vitest';
import { flagsOf, planSentences } from '../../../src/reconcile/file/plan-words.js';
import { Failure } from '../../../src/runtime/failure.js';
import { readWhole } from './reading.js';

const file = (header: string, ...words: readonly string[]): string =>
  [`Ref;Importe;${header}`, ...words.map((word, at) => `p-${String(at + 1)};1,50;${word}`), ''].join('\n');

async function refusal(content: string, map: string | null = null): Promise<string> {
  const error = await readWhole(content, { map }).catch((thrown: unknown) => thrown);
  if (!(error instanceof Failure)) throw new Error('it was read', { cause: error });
  return `${String(error.exitCode)} ${error.message}`;
}

describe('a line', () => {
  it.each([
    ...['ANULADO', 'Anulada', 'Rechazado', 'RECHAZADA - cuenta inexistente', 'Reversado', 'Reverso parcial'],
    ...['Devuelta', 'Fallido', 'No procesado', 'Pendiente', 'En proceso', 'Pagado y devuelto', 'Nulo'],
    ...['Void', 'VOIDED', 'Rejected', 'Reversed', 'Returned', 'Cancelled', 'canceled', 'Failed', 'Declined'],
    ...['Refunded', 'Charge-back: chargeback', 'pending', 'Estornado', 'Devolvido', 'Não pago', 'Recusado'],
  ])('that says %j was not paid', async (word) => {
    for (const header of ['Estado', 'Status', 'ESTATUS', 'Estado de la operación', 'Payment status']) {
      const { lines, ending } = await readWhole(file(header, 'Pagado', word));
      expect(lines.map(({ reference }) => reference)).toEqual(['p-1']);
      expect(ending.skipped).toMatchObject([{ line: 3 }]);
      expect(ending.skipped[0]?.why).toContain(JSON.stringify(word));
    }
  });

  const PAID = ['Pagado', 'APROBADA', 'Procesado', 'Exitosa', 'Completed', 'settled', 'OK', 'Aprovada', ''];
  it.each(PAID)('that says %j was paid', async (word) => {
    const { lines } = await readWhole(file('Estado', word));
    expect(lines).toHaveLength(1);
  });

  it.each(['Zulia', 'X', 'No anulado', 'sin devolución', 'Pagado?no'])(
    'that says %j is asked about',
    async (word) => {
      const asked = await refusal(file('Estado', 'Pagado', word));
      expect(asked).toMatch(/^2 /);
      expect(asked).toContain(`line 3: "Estado" says ${JSON.stringify(word)}`);
      expect(asked).toContain('paid=WORD or unpaid=WORD');
      const map = (words: string) => ({ map: `reference=Ref,amount=Importe,status=Estado,${words}` });
      const paid = await readWhole(file('Estado', 'Pagado', word), map(`paid="${word}|Otro"`));
      expect(paid.lines).toHaveLength(2);
      const not = await readWhole(file('Estado', 'Pagado', word), map(`unpaid=Otro|${word}`));
      expect(not.lines).toHaveLength(1);
      const without = { map: 'reference=Ref,amount=Importe' };
      expect((await readWhole(file('Estado', 'Pagado', word), without)).lines).toHaveLength(2);
    },
  );
});

describe('a status column', () => {
  it('that is called paid is answered by yes and no', async () => {
    const { lines } = await readWhole(file('Pagado', 'S', 'N'));
    expect(lines.map(({ reference }) => reference)).toEqual(['p-1']);
  });

  it('is part of the plan, with the words that take a line out, and can be typed again', async () => {
    const content = file('Estado', 'Pagado', 'ANULADO', 'Liq', 'Reversado', 'ANULADO');
    const { plan, lines } = await readWhole(content, {
      map: 'reference=Ref,amount=Importe,status=Estado,paid=Liq,unpaid="a ""b"""',
    });
    expect(planSentences(plan, 'bank.csv')).toContain(
      'Ignored as not paid: lines with the status "ANULADO", "Reversado".',
    );
    expect(lines.map(({ reference }) => reference)).toEqual(['p-1', 'p-3']);
    const again = await readWhole(content, { map: flagsOf(plan)[1] ?? '' });
    expect(again.lines).toEqual(lines);
    expect(again.plan.words).toEqual({ paid: ['Liq'], unpaid: ['a "b"'] });
  });

  it('that a map leaves out is asked about where it says that a line was not paid', async () => {
    const map = 'reference=Ref,amount=Importe';
    const asked = await refusal(file('Estado', 'Pagado', 'ANULADO'), map);
    expect(asked).toMatch(/^2 /);
    expect(asked).toContain('line 3: "Estado" says "ANULADO", and is not looked at: say status=COLUMN');
  });

  it('is a member of NDJSON too, and counts under its own name beside a map', async () => {
    const content =
      '{"ref":"p-1","amount":"1.50","status":"confirmed"}\n{"ref":"p-2","amount":"2","status":"failed"}\n';
    expect((await readWhole(content)).lines.map(({ reference }) => reference)).toEqual(['p-1']);
    const { lines } = await readWhole(content, { map: 'reference=ref,amount=amount' });
    expect(lines.map(({ reference }) => reference)).toEqual(['p-1']);
    const other = content.replaceAll('"status"', '"estado"');
    expect(await refusal(other, 'reference=ref,amount=amount')).toMatch(/^2 .*line 2: "estado"/s);
  });

  it('of which nobody knows a word far behind is a problem of its line', async () => {
    const many = Array.from({ length: 100_000 }, () => 'Pagado');
    const content = file('Estado', ...many, 'Zulia');
    expect(await refusal(content)).toMatch(/^14 .*line 100002: "Estado" says "Zulia"/s);
  });

  it('whose words are said without it is refused', async () => {
    expect(await refusal(file('Estado', 'x'), 'reference=Ref,amount=Importe,paid=x')).toMatch(
      /^2 .*add status=COLUMN/s,
    );
    const both = 'reference=Ref,amount=Importe,status=Estado,paid=x,unpaid=x';
    expect(await refusal(file('Estado', 'x'), both)).toMatch(/^2 .*"x" is paid and unpaid/s);
  });
});

it('a second column of either kind is looked at too', async () => {
  const header = 'Ref;Importe;Status;Estado;Moneda;Divisa';
  const asked = await refusal(`${header}\na;1,50;Completed;Anulado;VES;VES\n`);
  expect(asked).toMatch(/^2 .*"Estado" says "Anulado", and is not looked at/s);
  const other = await refusal(`${header}\na;1,50;Completed;Zulia;VES;USD\n`);
  expect(other).toMatch(/^2 .*"Divisa" says "USD", and is not looked at/s);
  expect((await readWhole(`${header}\na;1,50;Completed;Zulia;VES;VES\n`)).lines).toHaveLength(1);
});

it('a column of currencies that a map leaves out counts where nothing else says it, unless --currency does', async () => {
  const content = 'Ref;Importe;Moneda\na;1,50;USD\n';
  const options = { map: 'reference=Ref,amount=Importe' };
  expect((await readWhole(content, options)).lines).toMatchObject([{ currency: 'USD' }]);
  expect(await refusal(content.replace('USD', '$'), options.map)).toMatch(
    /^2 .*"Moneda" says "\$", and is not/s,
  );
  const { lines } = await readWhole(content, options, { currency: 'VES' });
  expect(lines).toMatchObject([{ currency: null }]);
});
