/** What can be created, as the catalog says it, and the body that a filled form comes to. Pure. */

export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
  readonly enum?: readonly string[];
  readonly example?: string;
  readonly pattern?: string;
}

export interface CatalogMethod {
  readonly code: string;
  readonly name: string;
  readonly currency: string;
  readonly availability: string;
  readonly min_amount: string;
  readonly max_amount: string | null;
  readonly fields: readonly Field[];
}

export interface CountryJson {
  readonly code: string;
  readonly name: string;
  readonly payin_methods: readonly CatalogMethod[];
  readonly payout_methods: readonly CatalogMethod[];
}

export type CreateNoun = 'payins' | 'payouts';

export interface Filled {
  readonly noun: CreateNoun;
  readonly country: string;
  readonly method: CatalogMethod;
  readonly amount: string;
  readonly reference: string;
  /** By the name of the field; what is empty is left out. */
  readonly values: Readonly<Record<string, string>>;
}

export function choicesOf(country: CountryJson | undefined, noun: CreateNoun): readonly CatalogMethod[] {
  return (noun === 'payins' ? country?.payin_methods : country?.payout_methods) ?? [];
}

/** What a form begins with: the catalog's own examples, where something has to be there. */
export function examplesOf({ fields }: CatalogMethod): Record<string, string> {
  return Object.fromEntries(
    fields
      .filter(({ required }) => required)
      .map((field) => [field.name, field.example ?? field.enum?.[0] ?? '']),
  );
}

export const partyName = (noun: CreateNoun): string => (noun === 'payins' ? 'payer' : 'beneficiary');

export function bodyOf({ noun, country, method, amount, reference, values }: Filled): object {
  const party: Record<string, unknown> = {};
  for (const [name, value] of sent(method, values)) {
    const [outer = '', inner] = name.split('.');
    if (inner === undefined) party[outer] = value;
    else party[outer] = { ...(party[outer] as object | undefined), [inner]: value };
  }
  return {
    ...{ country, currency: method.currency, method: method.code, amount },
    ...(reference !== '' && { reference }),
    [partyName(noun)]: party,
  };
}

/** The words behind `svc` that create the same. */
export function createWords({ noun, country, method, amount, reference, values }: Filled): string[] {
  const party = partyName(noun);
  return [
    ...[noun, 'create', '--method', method.code, '--country', country, '--currency', method.currency],
    ...[`--amount=${amount}`, ...(reference === '' ? [] : [`--reference=${reference}`])],
    ...sent(method, values).flatMap(([name, value]) => [`--${party}`, `${name}=${value}`]),
  ];
}

function sent({ fields }: CatalogMethod, values: Filled['values']): (readonly [string, string])[] {
  return fields.flatMap(({ name }) => {
    const value = values[name] ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
}
