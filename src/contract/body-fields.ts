/** The fields in the body of a create request (contract sections 2.2 and 2.3). */
import { LIMITS } from './limits.js';
import { isIncoming, METHOD_CODES, type Direction, type Method } from './operation.js';
import { AMOUNT_PATTERN } from './money.js';
import { COUNTRY_CODE } from './notation.js';
import { anyObject, integer, object, oneOf, optional, text, textLike } from './shape.js';
import type { Optional, Shape, ObjectOf, Shaped } from './shape.js';

const document = object({ type: optional(text), number: optional(text) });

const payer = object({
  account_number: optional(text),
  account_type: optional(oneOf(['mobile', 'account'])),
  bank_code: optional(text),
  document: optional(document),
  email: optional(text),
  name: optional(text),
  phone: optional(text),
});

const beneficiary = object({
  account_number: optional(text),
  bank_code: optional(text),
  document: optional(document),
  name: optional(text),
});

const mandate = object({
  contract_date: optional(text),
  contract_id: optional(textLike(/^[A-Za-z0-9]{1,30}$/)),
});

const MEMBER_USES: Readonly<Record<string, string>> = {
  'mandate.contract_id': `1 to ${String(LIMITS.contractIdMaxCharacters)} letters and digits`,
};

export const BODY_FIELDS = {
  amount: {
    shape: textLike(AMOUNT_PATTERN),
    ...{ kind: 'text', direction: 'both', position: 1 },
    flag: { value: 'AMOUNT', summary: 'Amount, such as 1500.50' },
  },
  country: {
    shape: textLike(COUNTRY_CODE),
    ...{ kind: 'text', direction: 'both', position: 2 },
    flag: { takes: 'country', summary: 'Country, such as VE' },
    batchSummary: 'Country of rows without one',
  },
  currency: {
    shape: textLike(/^[A-Za-z]{3}$/),
    ...{ kind: 'text', direction: 'both', position: 3 },
    flag: { takes: 'currency', summary: 'Currency, such as VES' },
    batchSummary: 'Currency of rows without one',
  },
  method: {
    shape: oneOf(METHOD_CODES),
    ...{ kind: 'text', direction: 'both', position: 4 },
    flag: { takes: 'method', summary: METHOD_CODES.join(', ') },
    batchSummary: 'Method of rows without one',
  },
  reference: {
    shape: optional(text),
    ...{ kind: 'text', direction: 'both', position: 5 },
    flag: { value: 'TEXT', summary: 'Your reference, returned unchanged' },
    echo: { label: 'Reference' },
  },
  metadata: {
    shape: optional(anyObject),
    use: `a JSON object of at most ${String(LIMITS.metadataMaxBytes)} bytes`,
    ...{ kind: 'anything', direction: 'both', position: 11 },
    flag: { value: 'KEY=VALUE', summary: 'A member of metadata; repeatable' },
    echo: { label: null, default: {} },
  },
  payer: {
    shape: payer,
    ...{ kind: 'parts', direction: 'payin', position: 8 },
    flag: { takes: 'payin-field', summary: 'A field of the payer; repeatable' },
  },
  beneficiary: {
    shape: beneficiary,
    ...{ kind: 'parts', direction: 'payout', position: 9 },
    flag: { takes: 'payout-field', summary: 'A field of the beneficiary; repeatable' },
  },
  mandate: {
    shape: optional(mandate),
    use: 'an object with contract_id and contract_date',
    ...{ kind: 'parts', direction: 'payin', position: 10 },
    methods: ['direct_debit'],
    flag: { value: 'PATH=VALUE', summary: 'A field of the mandate (direct_debit); repeatable' },
  },
  expires_in_hours: {
    shape: optional(integer(1, LIMITS.windowMaxHours)),
    use: `a whole number from 1 to ${String(LIMITS.windowMaxHours)}`,
    ...{ kind: 'number', direction: 'payin', position: 7 },
    methods: METHOD_CODES.filter(isIncoming),
    flag: { value: 'HOURS', summary: 'Hours an incoming method waits, 1 to 72' },
  },
  purpose: {
    shape: optional(oneOf(['remittance', 'payroll'])),
    use: 'remittance or payroll',
    ...{ kind: 'text', direction: 'payout', position: 6 },
    flag: { value: 'PURPOSE', summary: 'remittance (default) or payroll' },
    batchSummary: 'Purpose of rows without one: remittance or payroll',
    echo: { label: 'Purpose', default: 'remittance' },
  },
} as const satisfies Readonly<Record<string, BodyField>>;

interface FieldOfKind<Kind extends string, T> {
  readonly shape: Shape<T> | Optional<T>;
  readonly kind: Kind;
  readonly use?: string;
  readonly direction: Direction | 'both';
  readonly methods?: readonly Method[];
  /** Never change a position, because the bytes of existing batch rows depend on it. */
  readonly position: number;
  readonly flag: { readonly summary: string } & (
    | { readonly value: string; readonly takes?: never }
    | {
        readonly takes: 'country' | 'currency' | 'method' | 'payin-field' | 'payout-field';
        readonly value?: never;
      }
  );
  readonly batchSummary?: Kind extends 'text' ? string : never;
  readonly echo?: { readonly label: Kind extends 'text' | 'number' ? string : null; readonly default?: T };
}

export type BodyField =
  | FieldOfKind<'text', string>
  | FieldOfKind<'number', number>
  | FieldOfKind<'parts', object>
  | FieldOfKind<'anything', Record<string, unknown>>;

type BodyFields = typeof BODY_FIELDS;
export type FieldName = keyof BodyFields;

export type NameOf<Like> = { [Name in FieldName]: BodyFields[Name] extends Like ? Name : never }[FieldName];

export type ValueOf<Name extends FieldName> =
  BodyFields[Name]['shape'] extends Optional<infer T> ? T : Shaped<BodyFields[Name]['shape']>;

type ShapesOf<D extends Direction> = {
  [Name in NameOf<{ readonly direction: 'both' | D }>]: BodyFields[Name]['shape'];
};

const FIELD_ROWS: readonly (readonly [name: FieldName, field: BodyField])[] = (
  Object.keys(BODY_FIELDS) as FieldName[]
).map((name) => [name, BODY_FIELDS[name]]);

export function fieldsOnlyIn(direction: BodyField['direction']): typeof FIELD_ROWS {
  return FIELD_ROWS.filter(([, field]) => field.direction === direction);
}

const rowsIn = (direction: Direction): typeof FIELD_ROWS =>
  FIELD_ROWS.filter(([, field]) => field.direction === 'both' || field.direction === direction);
const ROWS_BY_DIRECTION = { payin: rowsIn('payin'), payout: rowsIn('payout') };

export function fieldsIn(direction: Direction): typeof FIELD_ROWS {
  return ROWS_BY_DIRECTION[direction];
}

export function fieldOf(name: string): BodyField {
  if (!Object.hasOwn(BODY_FIELDS, name)) throw new Error(`${name} is no field of a body`);
  return BODY_FIELDS[name as FieldName];
}

export function fieldUse(path: string): string | undefined {
  return MEMBER_USES[path] ?? FIELD_ROWS.find(([name]) => name === path)?.[1].use;
}

export function flagNameOf(name: string): string {
  return name.replaceAll('_', '-');
}

function bodyShape<D extends Direction>(direction: D): Shape<ObjectOf<ShapesOf<D>>> {
  const shapes = fieldsIn(direction).map(([name, { shape }]) => [name, shape]);
  return object(Object.fromEntries(shapes) as ShapesOf<D>);
}

export const newPayin = bodyShape('payin');
export type NewPayin = Shaped<typeof newPayin>;

export const newPayout = bodyShape('payout');
export type NewPayout = Shaped<typeof newPayout>;

type EchoName = NameOf<{ readonly echo: object }>;
type AlwaysEchoedName = NameOf<{ readonly direction: 'both'; readonly echo: { readonly default: unknown } }>;

export type EchoedFields = { readonly [Name in AlwaysEchoedName]: Readonly<ValueOf<Name>> } & {
  readonly [Name in Exclude<EchoName, AlwaysEchoedName>]?: ValueOf<Name>;
};

export const ECHOED_FIELDS = FIELD_ROWS.flatMap(([name, { echo, direction }]) =>
  echo === undefined ? [] : [[name as EchoName, { ...echo, direction }] as const],
);

export const webhookEndpoint = object({ url: text });
