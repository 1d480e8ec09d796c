/** How an answer differs from the published contract: what it has that nobody published, and what it lacks. Pure. */
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
  compare(COMPONENTS[name], { value, path: '' }, note);
  return [...found.values()];
}

interface Place {
  readonly value: unknown;
  readonly path: string;
}
type Note = (kind: Difference['kind'], path: string, word?: string | null) => void;

function compare(schema: JsonSchema, { value, path }: Place, note: Note): void {
  const { $ref: target, anyOf, type, enum: words, pattern, properties, required, items } = schema;
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
  if (typeof pattern === 'string' && typeof value === 'string' && !new RegExp(pattern).test(value)) {
    note('other_value', path);
    return;
  }
  if (Array.isArray(value) && items !== undefined)
    for (const element of value) compare(items as JsonSchema, { value: element, path: `${path}[]` }, note);
  if (!isObject(value) || !isObject(properties)) return;
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  for (const name of (required ?? []) as readonly string[])
    if (!Object.hasOwn(value, name)) note('missing_member', at(name));
  for (const [name, inner] of Object.entries(value)) {
    if (Object.hasOwn(properties, name))
      compare(properties[name] as JsonSchema, { value: inner, path: at(name) }, note);
    else note('unknown_member', at(name));
  }
}

function isOf(type: unknown, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
