/** The language of the schemas (JSON Schema 2020-12, as OpenAPI 3.1 has it): made of a shape, referred to by name, standing alone. Pure. */
import { isObject, type Shape } from '../contract/shape.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

const COMPONENT = '#/components/schemas/';
const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** The schema of that name among the components. */
export function ref(name: string): JsonSchema {
  return { $ref: `${COMPONENT}${name}` };
}

/** What the contract leaves open at that place, said and not invented. @param what as half a sentence */
export function open(what: string): JsonSchema {
  return { 'x-not-specified': what };
}

/** An object of these members, and of any others: the service grows. */
export function members(properties: JsonSchema, required: readonly string[] = []): JsonSchema {
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties };
}

/** An object that has all of these members, and any others: of a type, one that is forgotten does not compile. @param absent those that may be absent */
export function everyOf<T extends object = Readonly<Record<string, unknown>>>(
  properties: Readonly<Record<keyof T & string, JsonSchema>>,
  absent: readonly (keyof T & string)[] = [],
): JsonSchema {
  const mayBeAbsent: readonly string[] = absent;
  return members(
    properties,
    Object.keys(properties).filter((name) => !mayBeAbsent.includes(name)),
  );
}

/** What may be null too. */
export function nullOr(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

/** @param element what each element is */
export function arrayOf(element: JsonSchema): JsonSchema {
  return { type: 'array', items: element };
}

/**
 * The schema of a shape of a body: closed, as the service refuses members that it does not know.
 * @throws TypeError for a shape that says nothing of what it holds
 */
export function schemaOf(shape: Shape<unknown>): JsonSchema {
  const { members: inner, words, element, holds, pattern } = shape;
  if (inner !== undefined) return closedObject(inner);
  if (words !== undefined) return { type: 'string', enum: [...words] };
  if (element !== undefined) return arrayOf(schemaOf(element));
  if (holds === undefined) throw new TypeError(`nothing says what this shape holds: ${shape.accepts ?? ''}`);
  return { type: holds, ...(pattern === undefined ? {} : { pattern: pattern.source }) };
}

function closedObject(inner: NonNullable<Shape<unknown>['members']>): JsonSchema {
  const entries = Object.entries(inner);
  const required = entries.flatMap(([name, member]) => (typeof member === 'function' ? [name] : []));
  const properties = entries.map(([name, member]) => [
    name,
    schemaOf(typeof member === 'function' ? member : member.optional),
  ]);
  return { ...members(Object.fromEntries(properties) as JsonSchema, required), additionalProperties: false };
}

/** A schema that needs no other document: what it refers to stands in its `$defs`. */
export function standingAlone(
  schema: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const needed = new Map<string, unknown>();
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved);
    if (!isObject(value)) return value;
    const { $ref: target } = value;
    if (typeof target !== 'string' || !target.startsWith(COMPONENT))
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, moved(inner)]));
    const name = target.slice(COMPONENT.length);
    if (!needed.has(name)) {
      needed.set(name, null);
      needed.set(name, moved(components[name]));
    }
    return { $ref: `#/$defs/${name}` };
  };
  const whole = moved(schema) as JsonSchema;
  return {
    $schema: DRAFT,
    ...whole,
    ...(needed.size === 0 ? {} : { $defs: Object.fromEntries(needed) }),
  };
}

/** One of these, each standing alone: what they refer to is said once. */
export function eitherOf(schemas: readonly JsonSchema[]): JsonSchema {
  const defs = schemas.map(({ $defs = {} }) => $defs as JsonSchema);
  const whole = Object.assign({}, ...defs) as JsonSchema;
  return {
    $schema: DRAFT,
    oneOf: schemas.map(({ $schema: _schema, $defs: _defs, ...own }) => own),
    ...(Object.keys(whole).length === 0 ? {} : { $defs: whole }),
  };
}

/** The same schemas, referring to each other at another place of a document. @param place such as `#/schemas/` */
export function within(place: string, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return JSON.parse(
    JSON.stringify(schemas).replaceAll(`"$ref":"${COMPONENT}`, `"$ref":"${place}`),
  ) as JsonSchema;
}
