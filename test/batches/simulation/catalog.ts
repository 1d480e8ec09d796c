import type { Direction } from '../../../src/contract/operation.js';

const METHOD = {
  name: 'Any',
  country: 'VE',
  currency: 'VES',
  availability: 'available',
  fields: [{ name: 'account_number', required: true, type: 'string' }],
  min_amount: '1.00',
  max_amount: null,
};

export const CATALOG = {
  version: '2.8.0',
  countries: [
    {
      code: 'VE',
      name: 'Venezuela',
      currencies: [{ code: 'VES', decimals: 2 }],
      payin_methods: [{ ...METHOD, code: 'direct_debit' }],
      payout_methods: [{ ...METHOD, code: 'mobile_payment' }],
    },
  ],
};

export const BANKS = { banks: [] };

export type Account = 'good' | 'failing' | 'refused';

export interface Row {
  readonly reference: string;
  readonly amount: number;
  readonly person: number;
  readonly account: Account;
}

export function rowOf(reference: string, changes: Partial<Row> = {}): Row {
  return { ...{ reference, amount: 100, person: 0, account: 'good' }, ...changes };
}

const LAST_DIGIT = { good: 1, failing: 2, refused: 3 } as const;

export function createWords(direction: Direction, row: Row): string[] {
  const [noun, party, method] = NAMES[direction];
  const reference = row.reference === '' ? [] : ['--reference', row.reference];
  return [
    ...[noun, 'create', ...reference, '--amount', row.amount.toFixed(2)],
    ...['--country', 'VE', '--currency', 'VES', '--method', method],
    ...[`--${party}`, `account_number=${accountOf(row)}`],
  ];
}

export function csvOf(direction: Direction, rows: readonly Row[]): string {
  const [, party, method] = NAMES[direction];
  const head = `reference,amount,country,currency,method,${party}.account_number`;
  const lines = rows.map(
    (row) => `${row.reference},${row.amount.toFixed(2)},VE,VES,${method},${accountOf(row)}`,
  );
  return `${[head, ...lines].join('\n')}\n`;
}

function accountOf({ person, account }: Row): string {
  return `0412${String(person)}00000${String(LAST_DIGIT[account])}`;
}

const NAMES = {
  payin: ['payins', 'payer', 'direct_debit'],
  payout: ['payouts', 'beneficiary', 'mobile_payment'],
} as const;
