import type { Direction, Method } from './operation.js';

export type Availability = 'available' | 'temporarily_unavailable' | 'disabled';

export interface FieldDescriptor {
  readonly name: string;
  readonly required: boolean;
  readonly type: 'string' | 'enum' | 'date';
  readonly enum?: readonly string[];
  readonly example?: string;
  readonly pattern?: string;
}

/** The payer sends the money to this account, so it must be shown to the payer unchanged. */
export interface ReceivingAccount {
  readonly bank_code: string;
  readonly document: string;
  readonly holder: string;
  readonly account_number?: string;
  readonly phone?: string;
}

export interface MethodEntry {
  readonly availability: Availability;
  readonly code: Method;
  readonly country: string;
  readonly currency: string;
  readonly direction: Direction;
  readonly fields: readonly FieldDescriptor[];
  readonly min_amount: string;
  readonly max_amount: string | null;
  readonly name: string;
  readonly receiving_account?: ReceivingAccount | null;
}

export interface Bank {
  readonly code: string;
  readonly name: string;
  readonly methods: readonly Method[];
}

export interface CurrencyEntry {
  readonly code: string;
  readonly decimals: number;
}

export interface CountryEntry {
  readonly code: string;
  readonly name: string;
  readonly currencies: readonly CurrencyEntry[];
  readonly payin_methods: readonly MethodEntry[];
  readonly payout_methods: readonly MethodEntry[];
}

export interface Capabilities {
  readonly config_version: number;
  readonly countries: readonly CountryEntry[];
}

export const NO_CATALOG: Capabilities = { config_version: 0, countries: [] };

export type Balance = Readonly<Record<'currency' | 'available' | 'reserved', string>>;

export type Defaults = Readonly<Partial<Record<'country' | 'currency', string | undefined>>>;

export function methodsIn(
  { payin_methods: payins, payout_methods: payouts }: CountryEntry,
  direction: Direction,
): readonly MethodEntry[] {
  return direction === 'payin' ? payins : payouts;
}

export function matchesCode(wanted: string | undefined, actual: string): boolean {
  return wanted === undefined || wanted.toUpperCase() === actual.toUpperCase();
}

export function completeDefaults(
  catalog: Capabilities,
  direction: Direction,
  choice: Defaults & { readonly method?: string | undefined },
): Defaults {
  const entries = catalog.countries
    .flatMap((country) => methodsIn(country, direction))
    .filter((entry) => matchesCode(choice.country, entry.country))
    .filter((entry) => matchesCode(choice.currency, entry.currency))
    .filter((entry) => choice.method === undefined || choice.method === entry.code);
  const onlyValue = (values: string[]): string | undefined =>
    new Set(values).size === 1 ? values[0] : undefined;
  return {
    country: choice.country ?? onlyValue(entries.map(({ country }) => country)),
    currency: choice.currency ?? onlyValue(entries.map(({ currency }) => currency)),
  };
}
