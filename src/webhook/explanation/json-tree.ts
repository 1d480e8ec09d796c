/** JSON as a tree whose scalars keep their own text, so that writing it anew never changes a number. Pure. */

export type JsonNode =
  /** A string with its quotes, a number, a word: as written. */
  | { readonly kind: 'scalar'; readonly text: string }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [name: string, value: JsonNode])[] };

/** How a tree is written. */
export interface JsonStyle {
  /** Between a name and its value. */
  readonly colon: string;
  /** Between two elements on one line. */
  readonly comma: string;
  /** One level of indentation, each element on a line of its own; null for a single line. */
  readonly indent: string | null;
}

/** Deeper than any event; what is deeper is not looked at. */
const DEPTH_MAX = 64;
const TOKENS = /"(?:[^"\\]+|\\.)*"|[[\]{}]|[^\s[\]{},:"]+/g;

/** The tree of valid JSON; null for anything else, or where it is too deep. */
export function readTree(text: string): JsonNode | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  const tokens = text.match(TOKENS) ?? [];
  let at = 0;
  const next = (depth: number): JsonNode | null => {
    const token = tokens[at];
    at += 1;
    if (token === undefined || depth > DEPTH_MAX) return null;
    if (token !== '[' && token !== '{') return { kind: 'scalar', text: token };
    const close = token === '[' ? ']' : '}';
    const items: JsonNode[] = [];
    while (tokens[at] !== close) {
      const item = next(depth + 1);
      if (item === null) return null;
      items.push(item);
    }
    at += 1;
    return token === '[' ? { kind: 'array', items } : { kind: 'object', members: pairsOf(items) };
  };
  return next(0);
}

/** Commas and colons were no tokens: names and values follow one another. */
function pairsOf(items: readonly JsonNode[]): [string, JsonNode][] {
  return items.flatMap((value, index): [string, JsonNode][] => {
    const name = items[index - 1];
    return index % 2 === 1 && name?.kind === 'scalar' ? [[name.text, value]] : [];
  });
}

/** The tree as text. */
export function writeTree(node: JsonNode, style: JsonStyle, level = 0): string {
  if (node.kind === 'scalar') return node.text;
  const parts =
    node.kind === 'array'
      ? node.items.map((item) => writeTree(item, style, level + 1))
      : node.members.map(([name, value]) => name + style.colon + writeTree(value, style, level + 1));
  const [open, close] = node.kind === 'array' ? '[]' : '{}';
  if (parts.length === 0) return `${open ?? ''}${close ?? ''}`;
  if (style.indent === null) return `${open ?? ''}${parts.join(style.comma)}${close ?? ''}`;
  const line = (depth: number): string => `\n${(style.indent ?? '').repeat(depth)}`;
  return `${open ?? ''}${line(level + 1)}${parts.join(`,${line(level + 1)}`)}${line(level)}${close ?? ''}`;
}

/** The tree with the members of every object in another order. */
export function reorder(node: JsonNode, compare: (one: string, other: string) => number): JsonNode {
  if (node.kind === 'scalar') return node;
  if (node.kind === 'array')
    return { kind: 'array', items: node.items.map((item) => reorder(item, compare)) };
  const members = node.members.map(([name, value]) => [name, reorder(value, compare)] as const);
  return { kind: 'object', members: members.sort(([one], [other]) => compare(one, other)) };
}

/** The tree with every string (names too) written anew. */
export function respell(node: JsonNode, spell: (text: string) => string): JsonNode {
  if (node.kind === 'scalar')
    return { kind: 'scalar', text: node.text.startsWith('"') ? spell(node.text) : node.text };
  if (node.kind === 'array') return { kind: 'array', items: node.items.map((item) => respell(item, spell)) };
  return {
    kind: 'object',
    members: node.members.map(([name, value]) => [spell(name), respell(value, spell)]),
  };
}
