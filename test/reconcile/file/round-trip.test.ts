import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatMap } from '../../../src/reconcile/file/settings.js';
import type { LedgerField } from '../../../src/reconcile/file/plan.js';
import type { DecimalMark } from '../../../src/sheet/forms.js';
import type { LedgerLine } from '../../../src/reconcile/line.js';
import { readWhole } from './reading.js';
import { rounds } from '../../support/rounds.js';

interface Hand {
  readonly delimiter: ',' | ';' | '\t' | '|';
  readonly mark: DecimalMark;
  readonly group: string;
  readonly order: 'DD/MM/YYYY' | 'MM/DD/YYYY' | 'YYYY-MM-DD' | 'DD-MM-YY';
  readonly end: string;
  readonly encoding: 'utf8' | 'latin1' | 'utf16';
  readonly sides: 'amount' | 'debit and credit' | 'direction';
  readonly minus: 'before' | 'behind' | 'parentheses';
  readonly titles: number;
  readonly hasTotal: boolean;
  readonly quotesAll: boolean;
  readonly others: readonly string[];
  readonly pieceBytes: number;
}

interface Payment {
  readonly reference: string | null;
  readonly bankReference: string | null;
  readonly minor: number;
  readonly isOut: boolean;
  readonly day: number;
  readonly currency: string;
}

const hands: fc.Arbitrary<Hand> = fc.record({
  ...{ delimiter: fc.constantFrom(',', ';', '\t', '|'), mark: fc.constantFrom('comma', 'point') },
  group: fc.constantFrom('', '.', ',', "'", '\u00a0'),
  order: fc.constantFrom('DD/MM/YYYY', 'MM/DD/YYYY', 'YYYY-MM-DD', 'DD-MM-YY'),
  ...{ end: fc.constantFrom('\n', '\r\n', '\r'), encoding: fc.constantFrom('utf8', 'latin1', 'utf16') },
  sides: fc.constantFrom('amount', 'debit and credit', 'direction'),
  ...{ minus: fc.constantFrom('before', 'behind', 'parentheses'), titles: fc.integer({ min: 0, max: 6 }) },
  ...{ hasTotal: fc.boolean(), quotesAll: fc.boolean() },
  others: fc.array(fc.constantFrom('', 'Saldo', 'Nota, "otra"', 'a=b', 'Ñandú'), { maxLength: 3 }),
  pieceBytes: fc.integer({ min: 1, max: 200 }),
});

const text = fc
  .string({
    unit: fc.constantFrom('a', 'Z', '0', '7', '-', ' ', ',', ';', '|', '"', "'", '=', 'é', 'ñ', '/'),
    minLength: 1,
    maxLength: 12,
  })
  .map((made) => `R${made.trim()}`);

const payments: fc.Arbitrary<readonly Payment[]> = fc.array(
  fc.record({
    ...{ reference: fc.option(text, { freq: 5 }), bankReference: fc.option(text) },
    ...{ minor: fc.integer({ min: 1, max: 999_999_999 }), isOut: fc.boolean() },
    ...{ day: fc.integer({ min: 0, max: 700 }), currency: fc.constantFrom('VES', 'USD') },
  }),
  { minLength: 1, maxLength: 6 },
);

function dayOfPayment({ day }: Payment): string {
  return new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
}

function writtenDay(payment: Payment, order: Hand['order']): string {
  const [year = '', month = '', day = ''] = dayOfPayment(payment).split('-');
  return order.replace('YYYY', year).replace('YY', year.slice(2)).replace('MM', month).replace('DD', day);
}

function writtenAmount(minor: number, { mark, group }: Hand): string {
  const point = mark === 'comma' ? ',' : '.';
  const whole = String(Math.floor(minor / 100));
  const grouped = group === point ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, group);
  return `${grouped}${point}${String(minor % 100).padStart(2, '0')}`;
}

const NAMES: Readonly<Partial<Record<LedgerField, string>>> = {
  ...{ date: 'Fecha, valor', reference: 'Referencia "nuestra"', bank_reference: '2026' },
  ...{ currency: 'Moneda=', amount: 'Importe', debit: 'Débito', credit: 'Crédito', direction: 'D/C' },
};

function cellsOf(payment: Payment, hand: Hand): Readonly<Partial<Record<LedgerField, string>>> {
  const amount = writtenAmount(payment.minor, hand);
  const { isOut } = payment;
  const signed = { before: `-${amount}`, behind: `${amount}-`, parentheses: `(${amount})` }[hand.minus];
  const sides =
    hand.sides === 'amount'
      ? { amount: isOut ? signed : amount }
      : hand.sides === 'direction'
        ? { amount, direction: isOut ? 'Cargo' : 'Abono' }
        : { debit: isOut ? amount : '', credit: isOut ? '' : amount };
  return {
    ...{ date: writtenDay(payment, hand.order), reference: payment.reference ?? '' },
    ...{ bank_reference: payment.bankReference ?? '', currency: payment.currency },
    ...sides,
  };
}

function write(given: readonly Payment[], hand: Hand) {
  const [first] = given;
  if (first === undefined) throw new Error('somebody is paid');
  const quote = (cell: string): string =>
    hand.quotesAll || /["\n\r]/.test(cell) || cell.includes(hand.delimiter)
      ? `"${cell.replaceAll('"', '""')}"`
      : cell;
  const row = (cells: readonly string[]): string => cells.map(quote).join(hand.delimiter) + hand.end;
  const fields = Object.keys(cellsOf(first, hand)) as LedgerField[];
  const header = [...hand.others, ...fields.map((field) => NAMES[field] ?? '')];
  const titles = Array.from({ length: hand.titles }, (_, at) =>
    at % 2 === 0 ? `Banco ${at}${hand.end}` : hand.end,
  );
  const rows = given.map((payment) => {
    const cells = cellsOf(payment, hand);
    return row([...hand.others.map(() => ''), ...fields.map((field) => cells[field] ?? '')]);
  });
  const total = hand.hasTotal ? row(['Total', ...header.slice(1).map(() => '')]) : '';
  const whole = [...titles, row(header), ...rows, total].join('');
  const marked = hand.encoding === 'utf16' ? `\ufeff${whole}` : whole;
  const columns = fields.map((field, at) => ({
    ...{ field, name: NAMES[field] ?? '', index: hand.others.length + at },
  }));
  return {
    bytes: Buffer.from(marked, hand.encoding === 'utf16' ? 'utf16le' : hand.encoding),
    options: {
      ...{ map: formatMap(columns, header), decimal: hand.mark, dateFormat: hand.order },
      ...(hand.encoding === 'latin1' ? { encoding: 'latin1' } : {}),
    },
    lines: given.map((payment, at) => lineOf(payment, hand, hand.titles + 2 + at)),
  };
}

function lineOf(payment: Payment, { sides }: Hand, line: number): LedgerLine {
  const amount = (payment.minor / 100).toFixed(2).replace(/\.?0+$/, '');
  return {
    ...{ line, id: null, reference: payment.reference, bankReference: payment.bankReference },
    direction: sides === 'amount' ? null : payment.isOut ? 'payout' : 'payin',
    ...{ isNegative: sides === 'amount' && payment.isOut, currency: payment.currency },
    ...{ amount, date: dayOfPayment(payment) },
  };
}

it('is what was written', async () => {
  await fc.assert(
    fc.asyncProperty(payments, hands, async (given, hand) => {
      const { bytes, options, lines } = write(given, hand);
      const { pieceBytes } = hand;
      const read = await readWhole(bytes, options, { pieceBytes });
      expect(read.lines).toEqual(lines);
      expect(read.plan.above).toHaveLength(Math.ceil(hand.titles / 2));
      expect(read.ending.skippedCount).toBe(hand.hasTotal ? 1 : 0);
    }),
    { numRuns: rounds(400) },
  );
});

it('is never read as something else where nothing is said but the columns: it is that, or it is asked about', async () => {
  let decided = 0;
  await fc.assert(
    fc.asyncProperty(payments, hands, async (given, hand) => {
      const { bytes, options, lines } = write(given, hand);
      const said = { map: options.map, encoding: options.encoding ?? null };
      const read = await readWhole(bytes, said, { isRepeatable: false, pieceBytes: hand.pieceBytes }).catch(
        (error: unknown) => error,
      );
      if (read instanceof Error) {
        expect(read).toMatchObject({
          exitCode: 2,
          message: expect.stringContaining('in more than one way') as string,
        });
        return;
      }
      decided += 1;
      expect(read).toMatchObject({ lines });
    }),
    { numRuns: rounds(400) },
  );
  expect(decided).toBeGreaterThan(rounds(50));
});
