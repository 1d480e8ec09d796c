import type { ShownFinding } from '../../findings-shown.js';

export type Row = Readonly<ReturnType<typeof rowOf>>;

export const SORT_KEYS = ['class', 'line', 'here', 'there', 'reference', 'date'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export interface Choice {
  readonly classes: ReadonlySet<ShownFinding['class']>;
  readonly currency: string;
  readonly text: string;
  readonly sort: SortKey;
  readonly isDescending: boolean;
}

export function rowOf(finding: ShownFinding, at: number) {
  const { here, there, next_command: next, detail } = finding;
  const sides = [...here, ...there];
  const [line, operation] = [here[0], there[0]];
  const words = [detail, next, ...here.map(({ line: number }) => `line ${String(number)}`)];
  const values = sides.flatMap((one) => [one.id, one.reference, one.bank_reference, one.amount, one.date]);
  return {
    finding,
    at,
    currencies: new Set(sides.flatMap(({ currency }) => currency ?? [])),
    text: [...words, ...values].join('\n').toLowerCase(),
    keys: {
      class: sortableNumber(String(at)),
      line: sortableNumber(line === undefined ? '' : String(line.line)),
      here: sortableNumber(line?.amount ?? ''),
      there: sortableNumber(operation?.amount ?? ''),
      reference: referenceOf(line) || referenceOf(operation),
      date: line?.date ?? operation?.date ?? '',
    },
  };
}

export function referenceOf(side: ShownFinding['here' | 'there'][number] | undefined): string {
  return side?.reference ?? side?.bank_reference ?? side?.id ?? '';
}

const SORTABLE_DIGITS = 40;

function sortableNumber(decimal: string): string {
  const [whole = '', fraction = ''] = decimal.split('.');
  return decimal === '' ? '' : `${whole.padStart(SORTABLE_DIGITS, '0')}.${fraction.replace(/0+$/, '')}`;
}

export function selectRows(rows: readonly Row[], choice: Choice): readonly Row[] {
  const { classes, currency, sort, isDescending } = choice;
  const searchText = choice.text.trim().toLowerCase();
  const matches = rows.filter(
    (row) =>
      (classes.size === 0 || classes.has(row.finding.class)) &&
      (currency === '' || row.currencies.has(currency)) &&
      row.text.includes(searchText),
  );
  if (sort === 'class' && !isDescending) return matches;
  const sign = isDescending ? -1 : 1;
  return matches.sort((a, b) => {
    const [left, right] = [a.keys[sort], b.keys[sort]];
    return left === right ? a.at - b.at : left < right ? -sign : sign;
  });
}
