/** The ways in which programs write the same JSON: spacing, order of members, escapes; over a tree whose scalars keep their own text. Pure. */
import { OPERATION_MEMBERS } from '../../contract/operation-members.js';

/** One way, and its name for a person. */
export interface JsonText {
  readonly text: string;
  readonly style: string;
}

const STYLES: readonly (readonly [name: string, style: JsonStyle])[] = [
  ['compact', { colon: ':', comma: ',', indent: null }],
  ['spaced', { colon: ': ', comma: ', ', indent: null }],
  ['indented by 2', { colon: ': ', comma: ',', indent: '  ' }],
  ['indented by 4', { colon: ': ', comma: ',', indent: '    ' }],
  ['indented by tabs', { colon: ': ', comma: ',', indent: '\t' }],
];

/** The order of the specification (sections 2.1 and 6), in which the service writes. */
const CONTRACT_ORDER = [
  ...['id', 'type', 'occurred_at', 'data'],
  ...OPERATION_MEMBERS.flatMap((name) =>
    name === 'failure' ? ['failure', 'code', 'reason', 'message'] : [name],
  ),
].map((name) => JSON.stringify(name));

const rank = (name: string): number => {
  const at = CONTRACT_ORDER.indexOf(name);
  return at === -1 ? CONTRACT_ORDER.length : at;
};
const byName = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
const byContract = (one: string, other: string): number => rank(one) - rank(other);

/** A string as most programs write it: nothing escaped that need not be. */
const plain = (text: string): string => JSON.stringify(JSON.parse(text));
const ascii = (text: string): string =>
  plain(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const html = (text: string): string =>
  plain(text).replace(
    /[<>&\u2028\u2029]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const SPELLINGS: readonly (readonly [name: string, spell: (text: string) => string])[] = [
  ['nothing escaped', plain],
  ['non-ASCII characters escaped', ascii],
  ['slashes escaped', (text) => plain(text).replaceAll('/', '\\/')],
  ['slashes and non-ASCII characters escaped', (text) => ascii(text).replaceAll('/', '\\/')],
  ['<, > and & escaped', html],
];

/** The same JSON in other texts, the likeliest first; none where the text is no JSON. */
export function jsonTexts(text: string): JsonText[] {
  const tree = readTree(text);
  if (tree === null) return [];
  const styled = (node: JsonNode, ...words: string[]): JsonText[] =>
    STYLES.slice(0, words.length === 0 ? STYLES.length : 2).map(([name, style]) => ({
      text: writeTree(node, style),
      style: [name, ...words].join(', '),
    }));
  const spelled = SPELLINGS.flatMap(([name, spell]) => styled(respell(tree, spell), name));
  const ordered = [
    ...styled(reorder(tree, byContract), 'members in another order'),
    ...styled(reorder(tree, byName), 'members sorted'),
  ];
  const seen = new Set([text]);
  return [...styled(tree), ...spelled, ...ordered].filter((candidate) => {
    if (seen.has(candidate.text)) return false;
    seen.add(candidate.text);
    return true;
  });
}

type JsonNode =
  /** A string with its quotes, a number, a word: as written. */
  | { readonly kind: 'scalar'; readonly text: string }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [name: string, value: JsonNode])[] };

/** How a tree is written. */
interface JsonStyle {
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
function readTree(text: string): JsonNode | null {
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
function writeTree(node: JsonNode, style: JsonStyle, level = 0): string {
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
function reorder(node: JsonNode, compare: (one: string, other: string) => number): JsonNode {
  if (node.kind === 'scalar') return node;
  if (node.kind === 'array')
    return { kind: 'array', items: node.items.map((item) => reorder(item, compare)) };
  const members = node.members.map(([name, value]) => [name, reorder(value, compare)] as const);
  return { kind: 'object', members: members.sort(([one], [other]) => compare(one, other)) };
}

/** The tree with every string (names too) written anew. */
function respell(node: JsonNode, spell: (text: string) => string): JsonNode {
  if (node.kind === 'scalar')
    return { kind: 'scalar', text: node.text.startsWith('"') ? spell(node.text) : node.text };
  if (node.kind === 'array') return { kind: 'array', items: node.items.map((item) => respell(item, spell)) };
  return {
    kind: 'object',
    members: node.members.map(([name, value]) => [spell(name), respell(value, spell)]),
  };
}
