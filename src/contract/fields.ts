/** Checks what `payer` or `beneficiary` carries against the catalog's field descriptors: exactly those fields, each alone (section 2.2). */
import type { FieldDescriptor } from './catalog.js';
import type { Detail } from './errors.js';

/** A path inside `payer` or `beneficiary`: what the catalog declares for it, and what lies beneath it. */
interface Node {
  descriptor: FieldDescriptor | null;
  pattern: RegExp | null;
  readonly children: Map<string, Node>;
}

/** Descriptors do not change, so each list is read once. */
const trees = new WeakMap<readonly FieldDescriptor[], Node>();

/**
 * What is wrong with `payer` or `beneficiary`, one detail a field: `required` where a required one is absent,
 * `unknown` where one is not declared, `invalid` for a value (an empty one too) that its descriptor does not allow.
 * A pattern that is no regular expression, or a type that is not known here, allows everything.
 */
export function checkFields(
  prefix: 'payer' | 'beneficiary',
  value: unknown,
  fields: readonly FieldDescriptor[],
): Detail[] {
  const details: Detail[] = [];
  if (value === undefined) details.push({ field: prefix, code: 'required' });
  let tree = trees.get(fields);
  if (tree === undefined) trees.set(fields, (tree = grow(fields)));
  checkNode(tree, value, prefix, true, details);
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
    node.pattern = compile(descriptor.pattern);
  }
  return root;
}

function leaf(): Node {
  return { descriptor: null, pattern: null, children: new Map() };
}

function compile(pattern: string | undefined): RegExp | null {
  if (pattern === undefined) return null;
  try {
    return new RegExp(pattern);
  } catch {
    return null;
  }
}

function checkNode(node: Node, value: unknown, path: string, isGroup: boolean, details: Detail[]): void {
  if (value === undefined) {
    if (node.descriptor?.required === true) details.push({ field: path, code: 'required' });
    for (const [name, child] of node.children) checkNode(child, undefined, `${path}.${name}`, false, details);
  } else if (!isGroup && node.children.size === 0) {
    if (node.descriptor !== null && !isAllowed(node.descriptor, node.pattern, value)) {
      details.push({ field: path, code: 'invalid' });
    }
  } else if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    details.push({ field: path, code: 'invalid' });
  } else {
    const group = value as Readonly<Record<string, unknown>>;
    for (const [name, child] of node.children) {
      const inner = Object.hasOwn(group, name) ? group[name] : undefined;
      checkNode(child, inner, `${path}.${name}`, false, details);
    }
    for (const name of Object.keys(group)) {
      if (!node.children.has(name)) details.push({ field: `${path}.${name}`, code: 'unknown' });
    }
  }
}

function isAllowed(descriptor: FieldDescriptor, pattern: RegExp | null, value: unknown): boolean {
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
