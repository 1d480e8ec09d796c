/** The schema of the body of one method, as a catalog has it: what it declares for `payer` or `beneficiary`, its amounts, its place (section 2.5). Pure. */
import { fieldsIn } from '../contract/body-fields.js';
import type { FieldDescriptor, MethodEntry } from '../contract/catalog.js';
import { type Direction, partyOf } from '../contract/operation.js';
import { COMPONENTS } from './components.js';
import { type JsonSchema, standingAlone } from './json-schema.js';

/** An entry of the catalog, with the decimals of its currency. */
interface Offered {
  readonly entry: MethodEntry;
  readonly decimals: number;
}

const BODY = { payin: COMPONENTS.NuevoPayIn, payout: COMPONENTS.NuevoPayOut } as const;

/**
 * A schema that stands alone. The bounds of an amount are decimal strings, which JSON Schema cannot compare: they stand in
 * `x-min-amount` and `x-max-amount`.
 */
export function createBodySchema(direction: Direction, { entry, decimals }: Offered): JsonSchema {
  const whole: JsonSchema = BODY[direction];
  const party = partyOf(direction);
  const taken = fieldsIn(direction).flatMap(([name, { methods }]) =>
    methods?.includes(entry.code) === false ? [] : [name],
  );
  const declared = whole['properties'] as Readonly<Record<string, JsonSchema>>;
  const own: Readonly<Record<string, JsonSchema>> = {
    amount: {
      type: 'string',
      pattern: decimals === 0 ? '^[0-9]+$' : `^[0-9]+([.][0-9]{1,${String(decimals)}})?$`,
      'x-min-amount': entry.min_amount,
      'x-max-amount': entry.max_amount,
    },
    country: { type: 'string', pattern: inEitherCase(entry.country) },
    currency: { type: 'string', pattern: inEitherCase(entry.currency) },
    method: { const: entry.code },
    [party]: partySchema(entry.fields),
  };
  const properties = taken.map((name) => [name, own[name] ?? declared[name]]);
  return standingAlone(
    {
      title: `${entry.name} (${entry.code}), ${entry.country}, ${entry.currency}`,
      ...whole,
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

/** What stands beneath a path of `payer` or `beneficiary`. */
interface Group {
  readonly leaves: Map<string, FieldDescriptor>;
  readonly groups: Map<string, Group>;
}

function partySchema(fields: readonly FieldDescriptor[]): JsonSchema {
  const root: Group = { leaves: new Map(), groups: new Map() };
  for (const field of fields) {
    const path = field.name.split('.');
    let group = root;
    for (const name of path.slice(0, -1)) {
      const inner = group.groups.get(name) ?? { leaves: new Map(), groups: new Map() };
      group.groups.set(name, inner);
      group = inner;
    }
    group.leaves.set(path.at(-1) ?? '', field);
  }
  return groupSchema(root);
}

function groupSchema({ leaves, groups }: Group): JsonSchema {
  const required = [
    ...[...leaves].flatMap(([name, field]) => (field.required ? [name] : [])),
    ...[...groups].flatMap(([name, group]) => (needsSomething(group) ? [name] : [])),
  ];
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: {
      ...Object.fromEntries([...leaves].map(([name, field]) => [name, leafSchema(field)])),
      ...Object.fromEntries([...groups].map(([name, group]) => [name, groupSchema(group)])),
    },
    additionalProperties: false,
  };
}

function needsSomething({ leaves, groups }: Group): boolean {
  return [...leaves.values()].some(({ required }) => required) || [...groups.values()].some(needsSomething);
}

/** A type that is not known here says nothing. */
function leafSchema({ type, enum: words, example, pattern }: FieldDescriptor): JsonSchema {
  if (!['string', 'enum', 'date'].includes(type)) return {};
  return {
    type: 'string',
    minLength: 1,
    ...(words === undefined ? {} : { enum: [...words] }),
    ...(type === 'date' && pattern === undefined ? { format: 'date' } : {}),
    ...(pattern === undefined ? {} : { pattern }),
    ...(example === undefined ? {} : { examples: [example] }),
  };
}
