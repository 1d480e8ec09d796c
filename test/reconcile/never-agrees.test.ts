/** Bank files whose truth is a difference: whatever their form, none of them agrees; and what is true does. */
import { describe, expect, it } from 'vitest';
import { Seeded } from '../support/seeded.js';
import { TRUE, UNTRUE } from './banks/by-hand.js';
import { formOf, written } from './banks/form.js';
import { PLANTINGS, type Book } from './banks/planted.js';
import { endingOf, PAYMENTS } from './banks/truth.js';

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
    // The same form without it agrees: else what is seen would be the form.
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
      // What is cut off between two lines is whole.
      if (cut.at(-1) === 0x0a || cut.at(-2) === 0x0a) continue;
      expect((await endingOf(cut, said)).code, cut.toString()).not.toBe(0);
    }
  });

  it.each(TRUE)('and what is true does: $what', async ({ text, said }) => {
    const form = { decimal: text.includes(';') ? 'comma' : null, dateFormat: 'DD/MM/YYYY' };
    expect(await endingOf(Buffer.from(text), { ...form, ...said })).toEqual({ code: 0, why: 'pending' });
  });

  it('of more than a hundred and fifty', () => {
    expect(drawn.length + UNTRUE.length).toBeGreaterThan(150);
  });
});
