/** The request bodies that are judged as a whole (sections 2.2 to 2.4, 6), and what follows from the table of their fields. */
import { type BodyField, BODY_FIELDS } from './body-fields.js';
import type { Direction } from './operation.js';
import { object, text, type ObjectOf, type Optional, type Shape, type Shaped } from './shape.js';

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

/** Every row with its name, in the order of the table. */
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

/** The rows of these. */
export const ECHOED = ROWS.flatMap(([name, { echo, of }]) =>
  echo === undefined ? [] : [[name as EchoName, { ...echo, of }] as const],
);

export const webhookEndpoint = object({ url: text });
