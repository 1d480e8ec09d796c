/** The ways in which programs write the same JSON: spacing, order of members, escapes. Pure. */
import { OPERATION_MEMBERS } from '../../contract/operation-members.js';
import { readTree, reorder, respell, writeTree, type JsonNode, type JsonStyle } from './json-tree.js';

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
