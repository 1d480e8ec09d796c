/** How an answer differs from the published contract: what it has that nobody published, and what it lacks. Pure. */
import { isUuid, momentMs } from '../contract/notation.js';
import { isObject } from '../contract/shape.js';
import { COMPONENTS, type ComponentName } from './components.js';
import type { JsonSchema } from './json-schema.js';

export interface Difference {
  /** `unknown_*`: the service has grown; the others break the contract. */
  readonly kind: 'unknown_member' | 'unknown_value' | 'missing_member' | 'other_value';
  /** Members by their names, any element of a list by `[]`: `events[].data.status`. */
  readonly path: string;
  /** The word that is not known; null otherwise, because a value may be personal data. */
  readonly word: string | null;
}

/** Each difference once, in the order of the answer. @param value parsed JSON */
export function differencesOf(name: ComponentName, value: unknown): Difference[] {
  const found = new Map<string, Difference>();
  const note = (kind: Difference['kind'], path: string, word: string | null = null): void => {
    const difference = { kind, path, word };
    found.set(JSON.stringify(difference), difference);
  };
  const list = listIn(COMPONENTS[name]);
  // The member that holds a list is not specified: an answer may be the list itself.
  if (list !== null && Array.isArray(value)) compare(list.schema, { value, path: '' }, note);
  else {
    if (list !== null && isObject(value) && !Object.values(value).some(Array.isArray))
      note('missing_member', list.name);
    compare(COMPONENTS[name], { value, path: '' }, note);
  }
  return [...found.values()];
}

interface Place {
  readonly value: unknown;
  readonly path: string;
}
type Note = (kind: Difference['kind'], path: string, word?: string | null) => void;

/** The only list of an answer that holds one; null for any other. */
function listIn({
  properties = {},
}: JsonSchema): { readonly name: string; readonly schema: JsonSchema } | null {
  const lists = Object.entries(properties as Readonly<Record<string, JsonSchema>>).flatMap(
    ([name, schema]) => (schema['type'] === 'array' ? [{ name, schema }] : []),
  );
  const [only, ...others] = lists;
  return only === undefined || others.length > 0 ? null : only;
}

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: isUuid,
  'date-time': (text) => momentMs(text) !== null,
};

function compare(schema: JsonSchema, { value, path }: Place, note: Note): void {
  const { $ref: target, anyOf, type, enum: words, items } = schema;
  if (typeof target === 'string') {
    compare(COMPONENTS[target.split('/').at(-1) as ComponentName], { value, path }, note);
    return;
  }
  if (Array.isArray(anyOf)) {
    // What may be absent is this, or null.
    if (value !== null) compare(anyOf[0] as JsonSchema, { value, path }, note);
    return;
  }
  if (type !== undefined && ![type].flat().some((one) => isOf(one, value))) {
    note('other_value', path);
    return;
  }
  if (Array.isArray(words) && !words.includes(value)) {
    note('unknown_value', path, typeof value === 'string' ? value : null);
    return;
  }
  if (typeof value === 'string' && !isWritten(schema, value)) note('other_value', path);
  if (Array.isArray(value) && items !== undefined)
    for (const element of value) compare(items as JsonSchema, { value: element, path: `${path}[]` }, note);
  if (isObject(value)) compareMembers(schema, { value, path }, note);
}

function compareMembers(
  schema: JsonSchema,
  { value, path }: Place & { readonly value: Readonly<Record<string, unknown>> },
  note: Note,
): void {
  const { properties, allOf = [], if: _condition, then: _then } = schema;
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const required = (schema['required'] ?? []) as readonly string[];
  for (const name of required) if (!Object.hasOwn(value, name)) note('missing_member', at(name));
  for (const [name, inner] of Object.entries(value)) {
    if (!isObject(properties)) break;
    if (!Object.hasOwn(properties, name)) note('unknown_member', at(name));
    // A member that may be absent may be null.
    else if (inner !== null || required.includes(name))
      compare(properties[name] as JsonSchema, { value: inner, path: at(name) }, note);
  }
  for (const { if: condition, then } of allOf as readonly Condition[]) {
    if (!isMet(condition, value)) continue;
    const known = Object.keys(then.properties ?? {});
    const those = Object.entries(value).filter(([name]) => known.includes(name));
    compareMembers(then, { value: Object.fromEntries(those), path }, note);
  }
}

/** What holds for an object with one member of one value. */
interface Condition {
  readonly if: { readonly properties: Readonly<Record<string, { readonly const: unknown }>> };
  readonly then: JsonSchema & { readonly properties?: JsonSchema };
}

function isMet({ properties }: Condition['if'], value: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(properties).every(([name, { const: word }]) => value[name] === word);
}

function isWritten({ pattern, format }: JsonSchema, text: string): boolean {
  if (typeof pattern === 'string' && !new RegExp(pattern).test(text)) return false;
  return FORMATS[format as string]?.(text) ?? true;
}

function isOf(type: unknown, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
