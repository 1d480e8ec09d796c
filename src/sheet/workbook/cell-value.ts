/** What a cell of a workbook holds: text, a number, a date, or why it can't be believed. Pure. */
import { isoOf } from './dates.js';

/** The kinds of a cell, as its first character says it. */
export const KINDS = { text: 't', number: 'n', date: 'd', problem: '!' } as const;

export interface WrittenCell {
  readonly type: string;
  readonly isFormula: boolean;
  /** Null where none is written. */
  readonly value: string | null;
}

/** A kind and a value; empty for a cell that holds nothing. */
export function valueOf(
  { type, value, isFormula }: WrittenCell,
  { is1904, isDate }: { readonly is1904: boolean; readonly isDate: boolean },
): string {
  if (value === null || (value === '' && type !== 'str'))
    return isFormula
      ? `${KINDS.problem}holds a formula without a value: open the file in a spreadsheet program and save it`
      : '';
  if (type === 'e') return `${KINDS.problem}holds the error ${value}`;
  if (type === 'b') return KINDS.text + (value === '1' ? 'TRUE' : 'FALSE');
  if (type === 'd') return KINDS.date + value.replace(/T00:00:00(?:\.0+)?Z?$/, '');
  if (type !== 'n') return value === '' ? '' : KINDS.text + value;
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number))
    return `${KINDS.problem}holds a number that can't be read`;
  if (isDate) {
    const iso = isoOf(number, is1904);
    return iso === null ? `${KINDS.problem}holds a date that is none` : KINDS.date + iso;
  }
  // As it is written, where that says that digits were lost.
  return KINDS.number + (/e\+?[0-9]/i.test(value) ? `${String(number)} ${value.trim()}` : String(number));
}
