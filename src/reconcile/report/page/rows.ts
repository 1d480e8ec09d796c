/** The findings of a report as rows: what is shown of each, the text to search, and the order of two rows. */
import type { ShownFinding } from '../../shown.js';

export interface Row {
  readonly finding: ShownFinding;
  /** Its place among all, worst first. */
  readonly at: number;
  readonly currencies: ReadonlySet<string>;
  /** All that is searched, in lower case. */
  readonly text: string;
  readonly keys: Readonly<Record<SortKey, string>>;
}

export const SORT_KEYS = ['class', 'line', 'here', 'there', 'reference', 'date'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export interface Choice {
  /** Empty for all. */
  readonly classes: ReadonlySet<string>;
  readonly currency: string;
  readonly text: string;
  readonly sort: SortKey;
  readonly isDescending: boolean;
}

export function rowOf(finding: ShownFinding, at: number): Row {
  const { here, there, next_command: next, detail } = finding;
  const sides = [...here, ...there];
  const [line, operation] = [here[0], there[0]];
  const words = [detail, next, ...here.map(({ line: number }) => `line ${String(number)}`)];
  const named = sides.flatMap((side) => [
    side.id,
    side.reference,
    side.bank_reference,
    side.amount,
    side.date,
  ]);
  return {
    finding,
    at,
    currencies: new Set(sides.flatMap(({ currency }) => currency ?? [])),
    text: [...words, ...named].join('\n').toLowerCase(),
    keys: {
      class: numeral(String(at)),
      line: numeral(line === undefined ? '' : String(line.line)),
      here: numeral(line?.amount ?? ''),
      there: numeral(operation?.amount ?? ''),
      reference: referenceOf(line) || referenceOf(operation),
      date: line?.date ?? operation?.date ?? '',
    },
  };
}

export function referenceOf(side: ShownFinding['here' | 'there'][number] | undefined): string {
  return side?.reference ?? side?.bank_reference ?? side?.id ?? '';
}

const DIGITS = 40;

/** A decimal string whose texts stand in the order of their numbers: no amount becomes a number. */
function numeral(decimal: string): string {
  const [whole = '', fraction = ''] = decimal.split('.');
  return decimal === '' ? '' : `${whole.padStart(DIGITS, '0')}.${fraction.replace(/0+$/, '')}`;
}

/** Those that are asked for, in the order that is asked for; equal ones stand as they were. */
export function chosen(rows: readonly Row[], choice: Choice): readonly Row[] {
  const { classes, currency, sort, isDescending } = choice;
  const sought = choice.text.trim().toLowerCase();
  const found = rows.filter(
    (row) =>
      (classes.size === 0 || classes.has(row.finding.class)) &&
      (currency === '' || row.currencies.has(currency)) &&
      row.text.includes(sought),
  );
  if (sort === 'class' && !isDescending) return found;
  const sign = isDescending ? -1 : 1;
  return found.sort((a, b) => {
    const [left, right] = [a.keys[sort], b.keys[sort]];
    return left === right ? a.at - b.at : left < right ? -sign : sign;
  });
}
