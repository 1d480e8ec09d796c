/** What can be created, as the catalog says it, and the body that a filled form comes to. Pure. */
import { fieldOf, fieldsIn, flagNameOf } from '../../contract/body-fields.js';
import { type Direction, partyOf } from '../../contract/operation.js';

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
  /** Of the party, by the name of the field; what is empty is left out. */
  readonly values: Readonly<Record<string, string>>;
  /** The same of the fields beside it, as `fieldsBesideParty` names them. */
  readonly beside: Readonly<Record<string, string>>;
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

const directionOf = (noun: CreateNoun): Direction => (noun === 'payins' ? 'payin' : 'payout');

/** What the form asks for in a way of its own; the party is what the catalog declares. */
const PLACED: ReadonlySet<string> = new Set([
  'country',
  'currency',
  'method',
  'amount',
  'payer',
  'beneficiary',
]);

/** What a method takes beside its party: a field for each row of the table of body fields. All of them may be left out. */
export function fieldsBesideParty(noun: CreateNoun, { code }: CatalogMethod): readonly Field[] {
  return fieldsIn(directionOf(noun))
    .filter(([name, { methods }]) => !PLACED.has(name) && methods?.some((one) => one === code) !== false)
    .flatMap(([name, { holds, shape }]) => {
      const { members = {}, words } = 'optional' in shape ? shape.optional : shape;
      if (holds === 'parts') return Object.keys(members).map((part) => fieldBeside(`${name}.${part}`));
      return [
        {
          ...fieldBeside(name),
          ...(words !== undefined && { enum: words }),
          ...(holds === 'anything' && PAIRS),
        },
      ];
    });
}

/** A line of `KEY=VALUE` for each of its members. */
const PAIRS = { type: 'pairs' } as const;

function fieldBeside(name: string): Field {
  return { name, required: false, type: name.endsWith('_date') ? 'date' : 'text' };
}

export function bodyOf({ noun, country, method, amount, values, beside }: Filled): object {
  const given = sent(fieldsBesideParty(noun, method), beside).map(
    ([name, value]) => [name, valueOf(name, value)] as const,
  );
  return {
    ...{ country, currency: method.currency, method: method.code, amount },
    [partyOf(directionOf(noun))]: nested(sent(method.fields, values)),
    ...nested(given),
  };
}

/** What is no number or no pair where one is asked for goes as it was typed: the service says what is wrong with it. */
function valueOf(name: string, value: string): unknown {
  const { holds } = fieldOf(name.split('.', 1)[0] ?? '');
  if (holds === 'number') return /^[0-9]{1,9}$/.test(value) ? Number(value) : value;
  if (holds !== 'anything') return value;
  const pairs = linesOf(value).map((line) => /^([^=]+)=(.*)$/.exec(line)?.slice(1) ?? []);
  return pairs.every(({ length }) => length === 2) ? Object.fromEntries(pairs) : value;
}

function linesOf(value: string): string[] {
  return value.split('\n').filter((line) => line !== '');
}

/** `document.number` stands in `document`. */
function nested(fields: readonly (readonly [name: string, value: unknown])[]): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const [name, value] of fields) {
    const [outer = '', inner] = name.split('.');
    members[outer] =
      inner === undefined ? value : { ...(members[outer] as object | undefined), [inner]: value };
  }
  return members;
}

/** The words behind `svc` that create the same. */
export function createWords({ noun, country, method, amount, values, beside }: Filled): string[] {
  const party = partyOf(directionOf(noun));
  return [
    ...[noun, 'create', '--method', method.code, '--country', country, '--currency', method.currency],
    `--amount=${amount}`,
    ...sent(method.fields, values).flatMap(([name, value]) => [`--${party}`, `${name}=${value}`]),
    ...sent(fieldsBesideParty(noun, method), beside).flatMap(([name, value]) => {
      const [outer = '', inner] = name.split('.');
      const flag = `--${flagNameOf(outer)}`;
      if (inner !== undefined) return [flag, `${inner}=${value}`];
      return (fieldOf(outer).holds === 'anything' ? linesOf(value) : [value]).map(
        (text) => `${flag}=${text}`,
      );
    }),
  ];
}

function sent(fields: readonly Field[], values: Filled['values']): (readonly [string, string])[] {
  return fields.flatMap(({ name }) => {
    const value = values[name] ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
}
