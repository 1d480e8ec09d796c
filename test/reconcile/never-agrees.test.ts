import { describe, expect, it } from 'vitest';
import { Seeded } from '../support/seeded.js';
import { TRUE, UNTRUE } from './banks/by-hand.js';
import { type Chance, type Form, formOf, written } from './banks/form.js';
import { endingOf, NOT_PAID, PAYMENTS, type Payment, type Said } from './banks/truth.js';

interface Book {
  readonly payments: readonly Payment[];
  readonly form: Form;
  readonly said: Said;
}

type Planting = (book: Book, chance: Chance) => Book;

const VOID = [
  ...['ANULADO', 'Rechazada', 'Reversado', 'Devuelta', 'Voided', 'Rejected', 'REVERSED', 'Returned'],
  ...['Cancelado', 'Fallida', 'Pendiente'],
];

function changed(change: (payment: Payment, chance: Chance) => Partial<Payment>): Planting {
  return (book, chance) => {
    const at = chance(book.payments.length);
    const payments = book.payments.map((one, index) =>
      index === at ? { ...one, ...change(one, chance) } : one,
    );
    return { ...book, payments };
  };
}

function swapped(member: 'reference' | 'bank' | 'id', form: Partial<Form>): Planting {
  return (book, chance) => {
    const at = chance(book.payments.length - 1);
    const [one, other] = [book.payments[at]!, book.payments[at + 1]!];
    const payments = book.payments.map((payment) =>
      payment === one
        ? { ...one, [member]: other[member] }
        : payment === other
          ? { ...other, [member]: one[member] }
          : payment,
    );
    return { ...book, payments, form: { ...book.form, ...form } };
  };
}

function inCurrency(currencyBy: Form['currencyBy'], symbols: readonly string[]): Planting {
  return (book, chance) => ({
    ...book,
    form: { ...book.form, currencyBy, symbol: symbols[chance(symbols.length)]! },
  });
}

const added =
  (payment: (chance: Chance) => Payment): Planting =>
  (book, chance) => ({ ...book, payments: [...book.payments, payment(chance)] });

const PLANTINGS: Readonly<Record<string, Planting>> = {
  'a hundredth more': changed(({ minor }) => ({ minor: minor + 1 })),
  'a thousand times as much': changed(({ minor }) => ({ minor: minor * 1000 })),
  'the other direction': changed(({ direction }) => ({
    direction: direction === 'payin' ? 'payout' : 'payin',
  })),
  'the other direction, and --direction': (book) => ({
    payments: book.payments
      .filter(({ direction }) => direction === 'payout')
      .map((one, at) => (at === 2 ? { ...one, direction: 'payin' } : one)),
    form: { ...book.form, sides: book.form.sides === 'behind' ? 'behind' : 'sign' },
    said: { ...book.said, direction: 'payout' },
  }),
  'one in dollars': (book, chance) =>
    changed(() => ({ currency: 'USD' }))(
      { ...book, form: { ...book.form, currencyBy: chance(2) === 0 ? 'column' : 'code' } },
      chance,
    ),
  'a column of another currency': inCurrency('column', [
    ...['USD', 'EUR', '€', 'US$', '$', 'Bs', 'Dólares', 'BOB'],
  ]),
  'another currency in a name': inCurrency('name', ['USD', 'EUR', '€', 'US$', '$', 'Bs.', 'en dólares']),
  'another currency in a title': inCurrency('title', ['USD', 'EUR', 'Dólares', 'Pesos', 'US$', 'Extranjera']),
  'another currency beside': inCurrency('code', ['USD', '€', 'US$', '$', 'Bs.', 'R$', 'S/']),
  'one void': (book, chance) =>
    changed((_one, draw) => ({ status: VOID[draw(VOID.length)]! }))(
      { ...book, form: { ...book.form, paid: book.form.paid ?? 'Pagado' } },
      chance,
    ),
  'a status that nobody knows': (book, chance) =>
    changed(() => ({ status: 'En revisión (7)' }))(
      { ...book, form: { ...book.form, paid: 'Pagado' } },
      chance,
    ),
  'references swapped': swapped('reference', { hasIds: false }),
  'references swapped beside ids': swapped('reference', { hasIds: true }),
  'bank references swapped': swapped('bank', { hasBank: true }),
  'ids swapped': swapped('id', { hasIds: true }),
  'one twice': (book, chance) => ({
    ...book,
    payments: [...book.payments, book.payments[chance(book.payments.length)]!],
  }),
  'one missing': (book, chance) => {
    const at = chance(book.payments.length);
    return { ...book, payments: book.payments.filter((_, index) => index !== at) };
  },
  'one more, called like a sum': added((chance) => ({
    ...PAYMENTS[0]!,
    id: '',
    bank: '',
    reference: ['Saldo', 'Suma', 'Suma total', 'TOTAL', 'Saldo final'][chance(5)]!,
  })),
  'one more, to somebody called like a sum': added(() => ({
    ...PAYMENTS[1]!,
    ...{ id: '', bank: '', reference: 'rent-0077', name: 'Suma Gestion' },
  })),
  'one that failed': added(() => NOT_PAID[0]!),
  'one that is pending': added(() => NOT_PAID[1]!),
  'another day': changed(({ date }) => ({ date: date.replace('2026', '2025') })),
  'two as one': (book) => {
    const [first, second, ...others] = book.payments;
    return { ...book, payments: [{ ...first!, minor: first!.minor + second!.minor }, ...others] };
  },
};

const FORMS_EACH = 3;

function bookOf(seed: number): { book: Book; chance: (below: number) => number } {
  const seeded = new Seeded(seed);
  const chance = (below: number): number => seeded.below(below);
  return { book: { payments: PAYMENTS, form: formOf(chance), said: {} }, chance };
}

const names = Object.keys(PLANTINGS);
const drawn = names.flatMap((name, at) =>
  Array.from({ length: FORMS_EACH }, (_, index) => [name, at * FORMS_EACH + index + 1] as const),
);

describe('a file that is untrue does not agree', () => {
  it.each(drawn)('%s, form %d', async (name, seed) => {
    const { book, chance } = bookOf(seed);
    const told = (one: Book) => {
      const { bytes, said } = written(one.payments, one.form);
      return { bytes, said: { ...said, ...one.said } };
    };
    // The same form without the difference must agree. Otherwise the form alone would make the difference.
    const truth = told(book);
    const text = Buffer.from(truth.bytes).toString();
    expect(await endingOf(truth.bytes, truth.said), text).toEqual({ code: 0, why: 'pending' });
    const untrue = told(PLANTINGS[name]!(book, chance));
    const { code, why } = await endingOf(untrue.bytes, untrue.said);
    expect([2, 14, 18], `${why}\n${Buffer.from(untrue.bytes).toString()}`).toContain(code);
  });

  it.each(UNTRUE)('$what', async ({ text, said }) => {
    const { code, why } = await endingOf(Buffer.from(text), {
      decimal: text.includes(';') ? 'comma' : null,
      dateFormat: 'DD/MM/YYYY',
      ...said,
    });
    expect([2, 14, 18], `${why}\n${text}`).toContain(code);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('cut off in a last line that is untrue, form %d', async (seed) => {
    const { book } = bookOf(seed);
    const form = { ...book.form, hasTotal: false };
    const more = { ...PAYMENTS[0]!, id: '', bank: '', reference: 'rent-0077' };
    const { bytes, said } = written([...PAYMENTS, more], form);
    const whole = written(PAYMENTS, form).bytes.length;
    for (let at = whole + 1; at < bytes.length; at += 1) {
      const cut = Buffer.from(bytes).subarray(0, at);
      if (cut.at(-1) === 0x0a || cut.at(-2) === 0x0a) continue;
      expect((await endingOf(cut, said)).code, cut.toString()).not.toBe(0);
    }
  });

  it.each(TRUE)('and what is true does: $what', async ({ text, said }) => {
    const form = { decimal: text.includes(';') ? 'comma' : null, dateFormat: 'DD/MM/YYYY' };
    expect(await endingOf(Buffer.from(text), { ...form, ...said })).toEqual({ code: 0, why: 'pending' });
  });

  it('of more than a hundred and fifty', () => expect(drawn.length + UNTRUE.length).toBeGreaterThan(150));
});
