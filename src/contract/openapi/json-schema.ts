import { isObject, type Shape } from '../shape.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

const COMPONENT_PREFIX = '#/components/schemas/';
const DRAFT_URI = 'https://json-schema.org/draft/2020-12/schema';

export function ref(name: string): JsonSchema {
  return { $ref: `${COMPONENT_PREFIX}${name}` };
}

export function unspecified(what: string): JsonSchema {
  return { 'x-not-specified': what };
}

/** Allows other members, because the service adds members over time. */
export function members(properties: JsonSchema, required: readonly string[] = []): JsonSchema {
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties };
}

export function everyOf<T extends object = Readonly<Record<string, unknown>>>(
  properties: Readonly<Record<keyof T & string, JsonSchema>>,
  optional: readonly (keyof T & string)[] = [],
): JsonSchema {
  const optionalNames: readonly string[] = optional;
  return members(
    properties,
    Object.keys(properties).filter((name) => !optionalNames.includes(name)),
  );
}

export function nullOr(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

export function arrayOf(element: JsonSchema): JsonSchema {
  return { type: 'array', items: element };
}

export function schemaOf(shape: Shape<unknown>): JsonSchema {
  const { members: inner, words, element, jsonType, pattern } = shape;
  if (inner !== undefined) return closedObject(inner);
  if (words !== undefined) return { type: 'string', enum: [...words] };
  if (element !== undefined) return arrayOf(schemaOf(element));
  if (jsonType === undefined)
    throw new TypeError(`nothing says what this shape holds: ${shape.accepts ?? ''}`);
  return { type: jsonType, ...(pattern === undefined ? {} : { pattern: pattern.source }) };
}

function closedObject(inner: NonNullable<Shape<unknown>['members']>): JsonSchema {
  const entries = Object.entries(inner);
  const required = entries.flatMap(([name, member]) => (typeof member === 'function' ? [name] : []));
  const memberSchema = (member: (typeof entries)[number][1]): JsonSchema =>
    schemaOf(typeof member === 'function' ? member : member.optional);
  const properties = entries.map(([name, member]) => [name, memberSchema(member)]);
  return { ...members(Object.fromEntries(properties) as JsonSchema, required), additionalProperties: false };
}

export function selfContained(
  schema: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const neededSchemas = new Map<string, unknown>();
  const moveRefs = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moveRefs);
    if (!isObject(value)) return value;
    const { $ref: target } = value;
    if (typeof target !== 'string' || !target.startsWith(COMPONENT_PREFIX))
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, moveRefs(inner)]));
    const name = target.slice(COMPONENT_PREFIX.length);
    if (!neededSchemas.has(name)) {
      neededSchemas.set(name, null);
      neededSchemas.set(name, moveRefs(components[name]));
    }
    return { $ref: `#/$defs/${name}` };
  };
  const wholeSchema = moveRefs(schema) as JsonSchema;
  const defs = neededSchemas.size === 0 ? {} : { $defs: Object.fromEntries(neededSchemas) };
  return { $schema: DRAFT_URI, ...wholeSchema, ...defs };
}

export function eitherOf(schemas: readonly JsonSchema[]): JsonSchema {
  const defs = schemas.map(({ $defs = {} }) => $defs as JsonSchema);
  const allDefs = Object.assign({}, ...defs) as JsonSchema;
  return {
    $schema: DRAFT_URI,
    oneOf: schemas.map(({ $schema: _schema, $defs: _defs, ...schema }) => schema),
    ...(Object.keys(allDefs).length === 0 ? {} : { $defs: allDefs }),
  };
}

export function relocateRefs(prefix: string, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return JSON.parse(
    JSON.stringify(schemas).replaceAll(`"$ref":"${COMPONENT_PREFIX}`, `"$ref":"${prefix}`),
  ) as JsonSchema;
}
