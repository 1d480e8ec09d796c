/** Flattens a JSON value into its leaves with dotted paths, for csv columns and for objects of unknown shape. */
import type { JsonValue } from './value.js';

export interface Leaf {
  /** The names from the outside in, joined by dots; empty for a value that is no object. */
  readonly path: string;
  readonly value: JsonValue;
}

/** What lies deeper is one leaf: its JSON text. A hostile answer nests as deep as it likes. */
const DEPTH_MAX = 8;

/** Every value that is no object with members, in document order. An array is one leaf. */
export function leavesOf(value: JsonValue, path = '', depth = 0): Leaf[] {
  const members = depth < DEPTH_MAX ? value.members : new Map<string, JsonValue>();
  if (members.size === 0) return [{ path, value }];
  return [...members].flatMap(([name, member]) =>
    leavesOf(member, path === '' ? name : `${path}.${name}`, depth + 1),
  );
}
