import { fieldsIn } from '../body-fields.js';
import type { FieldDescriptor } from '../catalog.js';
import { type FieldNode, fieldTree, type CatalogMethod, hasRequiredField } from '../create.js';
import { type Direction, partyOf } from '../operation.js';
import { COMPONENTS } from './components.js';
import { type JsonSchema, members, selfContained } from './json-schema.js';

const BODY_SCHEMAS = { payin: COMPONENTS.NuevoPayIn, payout: COMPONENTS.NuevoPayOut } as const;

export function createBodySchema(direction: Direction, { entry, decimals }: CatalogMethod): JsonSchema {
  const bodySchema: JsonSchema = BODY_SCHEMAS[direction];
  const party = partyOf(direction);
  const acceptedFields = fieldsIn(direction).flatMap(([name, { methods }]) =>
    methods?.includes(entry.code) === false ? [] : [name],
  );
  const bodyProperties = bodySchema['properties'] as Readonly<Record<string, JsonSchema>>;
  const methodSchemas: Readonly<Record<string, JsonSchema>> = {
    amount: {
      type: 'string',
      pattern: decimals === 0 ? '^[0-9]+$' : `^[0-9]+([.][0-9]{1,${String(decimals)}})?$`,
      'x-min-amount': entry.min_amount,
      'x-max-amount': entry.max_amount,
    },
    country: { type: 'string', pattern: inEitherCase(entry.country) },
    currency: { type: 'string', pattern: inEitherCase(entry.currency) },
    method: { const: entry.code },
    [party]: groupSchema(fieldTree(entry.fields).children),
  };
  const properties = acceptedFields.map((name) => [name, methodSchemas[name] ?? bodyProperties[name]]);
  return selfContained(
    {
      title: `${entry.name} (${entry.code}), ${entry.country}, ${entry.currency}`,
      'x-availability': entry.availability,
      ...bodySchema,
      properties: Object.fromEntries(properties) as JsonSchema,
    },
    COMPONENTS,
  );
}

function inEitherCase(code: string): string {
  const letters = code.replaceAll(
    /[A-Za-z]/g,
    (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`,
  );
  return `^${letters}$`;
}

function groupSchema(children: FieldNode['children']): JsonSchema {
  const required = [...children].flatMap(([name, child]) => (hasRequiredField(child) ? [name] : []));
  const properties = [...children].map(([name, child]) => {
    const { descriptor, children: inner } = child;
    return [name, descriptor === null || inner.size > 0 ? groupSchema(inner) : leafSchema(descriptor)];
  });
  return { ...members(Object.fromEntries(properties) as JsonSchema, required), additionalProperties: false };
}

function isEcmaScript(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test('') || true;
  } catch {
    return false;
  }
}

function leafSchema({ type, enum: words, example, pattern }: FieldDescriptor): JsonSchema {
  if (!['string', 'enum', 'date'].includes(type)) return {};
  return {
    type: 'string',
    minLength: 1,
    ...(words === undefined ? {} : { enum: [...words] }),
    ...(type === 'date' && pattern === undefined ? { format: 'date' } : {}),
    ...(pattern === undefined ? {} : { [isEcmaScript(pattern) ? 'pattern' : 'x-pattern']: pattern }),
    ...(example === undefined ? {} : { examples: [example] }),
  };
}
