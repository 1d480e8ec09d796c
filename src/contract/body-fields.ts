/** The members of the body of a create, a row each (sections 2.2 and 2.3): whatever takes, writes, reads or shows them follows from this. */
import { LIMITS } from './limits.js';
import { isIncoming, METHOD_CODES, type Direction, type Method } from './operation.js';
import { AMOUNT_PATTERN } from './money.js';
import { COUNTRY_CODE } from './notation.js';
import {
  anyObject,
  integer,
  object,
  oneOf,
  optional,
  text,
  textLike,
  type Optional,
  type Shape,
  type ObjectOf,
  type Shaped,
} from './shape.js';

/** The objects in a body, whose members have flags of the form `PATH=VALUE` and columns of their own. */
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

/** What a part may hold, as `use` of a row says it. */
const USE_OF_PARTS: Readonly<Record<string, string>> = {
  'mandate.contract_id': `1 to ${String(LIMITS.contractIdMaxCharacters)} letters and digits`,
};

/** In the order in which flags put them into a body, and in which an operation says them again. */
export const BODY_FIELDS = {
  amount: {
    shape: textLike(AMOUNT_PATTERN),
    holds: 'text',
    of: 'both',
    place: 1,
    flag: { value: 'AMOUNT', summary: 'Amount, such as 1500.50' },
  },
  country: {
    shape: textLike(COUNTRY_CODE),
    holds: 'text',
    of: 'both',
    place: 2,
    flag: { takes: 'country', summary: 'Country, such as VE' },
    ofAllRows: 'Country of rows without one',
  },
  currency: {
    shape: textLike(/^[A-Za-z]{3}$/),
    holds: 'text',
    of: 'both',
    place: 3,
    flag: { takes: 'currency', summary: 'Currency, such as VES' },
    ofAllRows: 'Currency of rows without one',
  },
  method: {
    shape: oneOf(METHOD_CODES),
    holds: 'text',
    of: 'both',
    place: 4,
    flag: { takes: 'method', summary: METHOD_CODES.join(', ') },
    ofAllRows: 'Method of rows without one',
  },
  reference: {
    shape: optional(text),
    holds: 'text',
    of: 'both',
    place: 5,
    flag: { value: 'TEXT', summary: 'Your reference, returned unchanged' },
    echo: { label: 'Reference' },
  },
  metadata: {
    shape: optional(anyObject),
    holds: 'anything',
    use: `a JSON object of at most ${String(LIMITS.metadataMaxBytes)} bytes`,
    of: 'both',
    place: 11,
    flag: { value: 'KEY=VALUE', summary: 'A member of metadata; repeatable' },
    echo: { label: null, otherwise: {} },
  },
  payer: {
    shape: payer,
    holds: 'parts',
    of: 'payin',
    place: 8,
    flag: { takes: 'payin-field', summary: 'A field of the payer; repeatable' },
  },
  beneficiary: {
    shape: beneficiary,
    holds: 'parts',
    of: 'payout',
    place: 9,
    flag: { takes: 'payout-field', summary: 'A field of the beneficiary; repeatable' },
  },
  mandate: {
    shape: optional(mandate),
    holds: 'parts',
    use: 'an object with contract_id and contract_date',
    of: 'payin',
    place: 10,
    methods: ['direct_debit'],
    flag: { value: 'PATH=VALUE', summary: 'A field of the mandate (direct_debit); repeatable' },
  },
  expires_in_hours: {
    shape: optional(integer(1, LIMITS.windowMaxHours)),
    holds: 'number',
    use: `a whole number from 1 to ${String(LIMITS.windowMaxHours)}`,
    of: 'payin',
    place: 7,
    methods: METHOD_CODES.filter(isIncoming),
    flag: { value: 'HOURS', summary: 'Hours an incoming method waits, 1 to 72' },
  },
  purpose: {
    shape: optional(oneOf(['remittance', 'payroll'])),
    holds: 'text',
    use: 'remittance or payroll',
    of: 'payout',
    place: 6,
    flag: { value: 'PURPOSE', summary: 'remittance (default) or payroll' },
    ofAllRows: 'Purpose of rows without one: remittance or payroll',
    echo: { label: 'Purpose', otherwise: 'remittance' },
  },
} as const satisfies Readonly<Record<string, BodyField>>;

/** What stands for the value of a flag in a page of help. */
interface Named {
  readonly value: string;
  readonly takes?: never;
}

/** What a shell completes the value of a flag to; that has its name in help. */
interface Completed {
  readonly takes: 'country' | 'currency' | 'method' | 'payin-field' | 'payout-field';
  readonly value?: never;
}

/** `T` is what stands there in a body. */
interface Row<Holds extends string, T> {
  /** What it may hold, and whether it may be absent. */
  readonly shape: Shape<T> | Optional<T>;
  /** How it is given: as one text, one whole number, parts with names of their own, or anything under any names. */
  readonly holds: Holds;
  /** What it may hold, as half a sentence behind "Use" or "must be", where `holds` does not say all of it and the catalog nothing. */
  readonly use?: string;
  /** Which creates take it. */
  readonly of: Direction | 'both';
  /** The methods that take it, where not all of them do. */
  readonly methods?: readonly Method[];
  /** Its place in a body that is made of columns. A number that is here never changes: the bytes of a row would. */
  readonly place: number;
  /** Its flag on the command line, called like it, with dashes. */
  readonly flag: { readonly summary: string } & (Named | Completed);
  /** Where a batch has the flag too, for the rows that say nothing themselves: its summary there. */
  readonly ofAllRows?: Holds extends 'text' ? string : never;
  /**
   * Where the operation has it as it was sent: its label, null for an object, which is shown by its members, and what stands there
   * if it was not sent. Amount, country, currency and method have a form of their own in an operation.
   */
  readonly echo?: { readonly label: Holds extends 'text' | 'number' ? string : null; readonly otherwise?: T };
}

export type BodyField =
  | Row<'text', string>
  | Row<'number', number>
  | Row<'parts', object>
  | Row<'anything', Record<string, unknown>>;

type Table = typeof BODY_FIELDS;
export type FieldName = keyof Table;

/** The names of the fields whose row is a `Like`. */
export type NameOf<Like> = { [Name in FieldName]: Table[Name] extends Like ? Name : never }[FieldName];

/** What stands in a body there. */
export type ValueOf<Name extends FieldName> =
  Table[Name]['shape'] extends Optional<infer T> ? T : Shaped<Table[Name]['shape']>;

type ShapesOf<D extends Direction> = {
  [Name in NameOf<{ readonly of: 'both' | D }>]: Table[Name]['shape'];
};

const ROWS: readonly (readonly [name: FieldName, field: BodyField])[] = (
  Object.keys(BODY_FIELDS) as FieldName[]
).map((name) => [name, BODY_FIELDS[name]]);

/** The fields of a create, or those that both creates have, in the order of the table. */
export function fieldsOf(of: BodyField['of']): typeof ROWS {
  return ROWS.filter(([, field]) => field.of === of);
}

const rowsIn = (direction: Direction): typeof ROWS =>
  ROWS.filter(([, { of }]) => of === 'both' || of === direction);
const ROWS_IN = { payin: rowsIn('payin'), payout: rowsIn('payout') };

/** The fields that a body of that direction may have, in the order of the table. */
export function fieldsIn(direction: Direction): typeof ROWS {
  return ROWS_IN[direction];
}

/** @throws Error for a member that is in no row: it would get lost on its way into a body */
export function fieldOf(name: string): BodyField {
  if (!Object.hasOwn(BODY_FIELDS, name)) throw new Error(`${name} is no field of a body`);
  return BODY_FIELDS[name as FieldName];
}

/** What a field or a part, by its path, may hold; undefined where no row says more than what it is. */
export function fieldUse(path: string): string | undefined {
  return USE_OF_PARTS[path] ?? ROWS.find(([name]) => name === path)?.[1].use;
}

/** A field's flag, without the dashes in front of it. */
export function flagNameOf(name: string): string {
  return name.replaceAll('_', '-');
}

function bodyOf<D extends Direction>(direction: D): Shape<ObjectOf<ShapesOf<D>>> {
  const shapes = fieldsIn(direction).map(([name, { shape }]) => [name, shape]);
  return object(Object.fromEntries(shapes) as ShapesOf<D>);
}

export const newPayin = bodyOf('payin');
export type NewPayin = Shaped<typeof newPayin>;

export const newPayout = bodyOf('payout');
export type NewPayout = Shaped<typeof newPayout>;

type EchoName = NameOf<{ readonly echo: object }>;
/** Both creates have it, and without it something stands in its place. */
type LastingName = NameOf<{ readonly of: 'both'; readonly echo: { readonly otherwise: unknown } }>;

/** What an operation has as it was sent. */
export type Echoed = { readonly [Name in LastingName]: Readonly<ValueOf<Name>> } & {
  readonly [Name in Exclude<EchoName, LastingName>]?: ValueOf<Name>;
};

export const ECHOED = ROWS.flatMap(([name, { echo, of }]) =>
  echo === undefined ? [] : [[name as EchoName, { ...echo, of }] as const],
);

export const webhookEndpoint = object({ url: text });
