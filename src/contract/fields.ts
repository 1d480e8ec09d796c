/** Checks what `payer` or `beneficiary` carries against the catalog's field descriptors: exactly those fields, each alone (section 2.2). */
import type { FieldDescriptor } from './catalog.js';
import type { Detail } from './errors.js';
import { type Pattern, readPattern } from './pattern.js';

/** A path inside `payer` or `beneficiary`: what the catalog declares for it, and what lies beneath it. */
interface Node {
  descriptor: FieldDescriptor | null;
  pattern: Pattern | null;
  readonly children: Map<string, Node>;
}

/** Descriptors do not change, so each list is read once. */
const trees = new WeakMap<readonly FieldDescriptor[], Node>();

/**
 * What is wrong with `payer` or `beneficiary`, one detail a field: `required` where a required one is absent, null or an empty text,
 * `unknown` where one is not declared, `invalid` for a value (an empty text in an optional place too) that its descriptor does not allow.
 * A pattern that can't be read (`pattern.ts`), or a type that is not known here, allows everything.
 */
export function checkFields(
  prefix: 'payer' | 'beneficiary',
  value: unknown,
  fields: readonly FieldDescriptor[],
): Detail[] {
  const details: Detail[] = [];
  if (isBlank(value)) details.push({ field: prefix, code: 'required' });
  let tree = trees.get(fields);
  if (tree === undefined) trees.set(fields, (tree = grow(fields)));
  if (isBlank(value)) checkNode(tree, undefined, prefix, details);
  else checkGroup(tree, value, prefix, details);
  return details;
}

function grow(fields: readonly FieldDescriptor[]): Node {
  const root = leaf();
  for (const descriptor of fields) {
    let node = root;
    for (const name of descriptor.name.split('.')) {
      let child = node.children.get(name);
      if (child === undefined) node.children.set(name, (child = leaf()));
      node = child;
    }
    node.descriptor = descriptor;
    node.pattern = descriptor.pattern === undefined ? null : readPattern(descriptor.pattern);
  }
  return root;
}

function leaf(): Node {
  return { descriptor: null, pattern: null, children: new Map() };
}

function checkNode(node: Node, value: unknown, path: string, details: Detail[]): void {
  if (value === undefined || value === null || (value === '' && isRequired(node))) {
    if (node.descriptor?.required === true) details.push({ field: path, code: 'required' });
    for (const [name, child] of node.children) checkNode(child, undefined, `${path}.${name}`, details);
  } else if (node.children.size === 0) {
    if (node.descriptor !== null && !isAllowed(node.descriptor, node.pattern, value)) {
      details.push({ field: path, code: 'invalid' });
    }
  } else {
    checkGroup(node, value, path, details);
  }
}

function checkGroup(node: Node, value: unknown, path: string, details: Detail[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    details.push({ field: path, code: 'invalid' });
  } else {
    const group = value as Readonly<Record<string, unknown>>;
    for (const [name, child] of node.children) {
      const inner = Object.hasOwn(group, name) ? group[name] : undefined;
      checkNode(child, inner, `${path}.${name}`, details);
    }
    for (const name of Object.keys(group)) {
      if (!node.children.has(name)) details.push({ field: `${path}.${name}`, code: 'unknown' });
    }
  }
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** A group is required where anything in it is. */
function isRequired({ descriptor, children }: Node): boolean {
  return descriptor?.required === true || [...children.values()].some(isRequired);
}

function isAllowed(descriptor: FieldDescriptor, pattern: Pattern | null, value: unknown): boolean {
  const type: string = descriptor.type;
  if (type !== 'string' && type !== 'enum' && type !== 'date') return true;
  if (typeof value !== 'string' || value === '') return false;
  if (descriptor.enum !== undefined && !descriptor.enum.includes(value)) return false;
  if (pattern !== null) return pattern.test(value);
  return type !== 'date' || isDate(value);
}

/** A day of the calendar as `YYYY-MM-DD`. */
function isDate(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
