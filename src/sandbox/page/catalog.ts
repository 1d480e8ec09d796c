/** What can be created, as the catalog says it, and the body that a filled form comes to. Pure. */
import { BODY_FIELDS } from '../../contract/body-fields.js';

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

/** What a method takes beside its party: the parts of a mandate, where it is drawn by one. All of them may be left out. */
export function mandateFields({ code }: CatalogMethod): readonly Field[] {
  const { methods, shape } = BODY_FIELDS.mandate;
  if (!methods.some((one) => one === code)) return [];
  return Object.keys(shape.optional.members ?? {}).map((name) => ({
    ...{ name: `${MANDATE}${name}`, required: false, type: name.endsWith('_date') ? 'date' : 'text' },
  }));
}

const partyName = (noun: CreateNoun): string => (noun === 'payins' ? 'payer' : 'beneficiary');

export function bodyOf({ noun, country, method, amount, reference, values }: Filled): object {
  const party: Record<string, unknown> = {};
  for (const [name, value] of sent(method.fields, values)) {
    const [outer = '', inner] = name.split('.');
    if (inner === undefined) party[outer] = value;
    else party[outer] = { ...(party[outer] as object | undefined), [inner]: value };
  }
  const mandate = mandated(method, values);
  return {
    ...{ country, currency: method.currency, method: method.code, amount },
    ...(reference !== '' && { reference }),
    [partyName(noun)]: party,
    ...(mandate.length > 0 && { mandate: Object.fromEntries(mandate) }),
  };
}

/** The words behind `svc` that create the same. */
export function createWords({ noun, country, method, amount, reference, values }: Filled): string[] {
  const party = partyName(noun);
  return [
    ...[noun, 'create', '--method', method.code, '--country', country, '--currency', method.currency],
    ...[`--amount=${amount}`, ...(reference === '' ? [] : [`--reference=${reference}`])],
    ...sent(method.fields, values).flatMap(([name, value]) => [`--${party}`, `${name}=${value}`]),
    ...mandated(method, values).flatMap(([name, value]) => ['--mandate', `${name}=${value}`]),
  ];
}

/** Beside the fields of a party, which the catalog names as it likes. */
const MANDATE = 'mandate.';

function mandated(method: CatalogMethod, values: Filled['values']): (readonly [string, string])[] {
  return sent(mandateFields(method), values).map(([name, value]) => [name.slice(MANDATE.length), value]);
}

function sent(fields: readonly Field[], values: Filled['values']): (readonly [string, string])[] {
  return fields.flatMap(({ name }) => {
    const value = values[name] ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
}
