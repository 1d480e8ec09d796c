/** What the signed body may have been before something on its way changed it. Pure. */
import { cause, given, type CauseCode, type Suspect } from './cause.js';
import { jsonIn, foldJson } from '../../contract/json.js';
import { OPERATION_MEMBERS } from '../../contract/operation-members.js';

type Body = Suspect<Uint8Array>;

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The body as it is, then as it may have been, the likeliest first. Bytes that are no text stay bytes: Latin-1 keeps each of them. */
export function bodySuspects(bytes: Uint8Array): Body[] {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const raw = body.toString('latin1');
  const suspects: Body[] = [given(bytes)];
  const add = (code: CauseCode, value: Buffer, found?: string): void => {
    if (!value.equals(body)) suspects.push({ value, cause: cause(code, found) });
  };
  const addRaw = (code: CauseCode, text: string): void => add(code, Buffer.from(text, 'latin1'));
  const unix = raw.replaceAll('\r\n', '\n');
  addRaw('trailing_newline', raw.replace(/\r?\n$/, ''));
  addRaw('trailing_newline', raw.replace(/[\r\n]{1,64}$/, ''));
  addRaw('newline_missing', `${raw}\n`);
  addRaw('newline_missing', `${raw}\r\n`);
  addRaw('line_ends', unix);
  addRaw('line_ends', unix.replaceAll('\n', '\r\n'));
  addRaw('line_ends', unix.replace(/\n$/, ''));
  addRaw('line_ends', unix.replace(/\n$/, '').replaceAll('\n', '\r\n'));
  addRaw('surrounding_space', trimmed(raw));
  if (body.subarray(0, 3).equals(BYTE_ORDER_MARK)) add('byte_order_mark', body.subarray(3));
  else add('byte_order_mark', Buffer.concat([BYTE_ORDER_MARK, body]));
  for (const { text, style } of jsonTexts(body.toString('utf8'))) {
    add('json_reserialised', Buffer.from(text), style);
    add('json_reserialised', Buffer.from(`${text}\n`), style);
  }
  for (const [code, value] of unwrapped(body, raw)) add(code, value);
  return suspects;
}

/** What may be inside it: a layer that should have been taken off. */
function unwrapped(body: Buffer, raw: string): [CauseCode, Buffer][] {
  const layers: [CauseCode, Buffer][] = [];
  const inner = quoted(body);
  if (inner !== null) layers.push(['json_quoted', Buffer.from(inner)]);
  if (/^[A-Za-z0-9+/_-]{16,}={0,2}\s?$/.test(raw)) layers.push(['body_base64', Buffer.from(raw, 'base64')]);
  const chunks = unchunked(raw);
  if (chunks !== null) layers.push(['body_chunked', Buffer.from(chunks, 'latin1')]);
  layers.push(['text_encoding', Buffer.from(raw)]);
  layers.push(['text_encoding', Buffer.from(body.toString('utf8'), 'latin1')]);
  return layers;
}

function quoted(body: Buffer): string | null {
  const value = jsonIn(body);
  return typeof value === 'string' ? value : null;
}

/** The content of a chunked transfer (RFC 9112 section 7.1); null where it is none. */
function unchunked(raw: string): string | null {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = raw.indexOf('\r\n', at);
    const size =
      lineEnd === -1 ? undefined : /^([0-9a-fA-F]{1,8})(?:;[^\r\n]*)?$/.exec(raw.slice(at, lineEnd))?.[1];
    if (size === undefined) return null;
    const length = Number.parseInt(size, 16);
    if (length === 0) return parts.join('');
    parts.push(raw.slice(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
}

/** Without ASCII white space around it. */
function trimmed(raw: string): string {
  let [start, end] = [0, raw.length];
  while (start < end && ' \t\r\n'.includes(raw[start] ?? 'x')) start += 1;
  while (end > start && ' \t\r\n'.includes(raw[end - 1] ?? 'x')) end -= 1;
  return raw.slice(start, end);
}

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
  if (jsonIn(text) === undefined) return [];
  const styled = (way: JsonWay, ...words: string[]): JsonText[] =>
    STYLES.slice(0, words.length === 0 ? STYLES.length : 2).flatMap(([name, style]) => {
      const written = inStyle(text, style, way);
      return written === null ? [] : [{ text: written, style: [name, ...words].join(', ') }];
    });
  const spelled = SPELLINGS.flatMap(([name, spell]) => styled({ spell }, name));
  const ordered = [
    ...styled({ order: byContract }, 'members in another order'),
    ...styled({ order: byName }, 'members sorted'),
  ];
  const seen = new Set([text]);
  return [...styled({}), ...spelled, ...ordered].filter((candidate) => {
    if (seen.has(candidate.text)) return false;
    seen.add(candidate.text);
    return true;
  });
}

/** How white space is written. */
interface JsonStyle {
  /** Between a name and its value. */
  readonly colon: string;
  /** Between two elements on one line. */
  readonly comma: string;
  /** One level of indentation, each element on a line of its own; null for a single line. */
  readonly indent: string | null;
}

/** What else is another: strings (names too) written in another way, members in another order. */
interface JsonWay {
  readonly spell?: (text: string) => string;
  readonly order?: (one: string, other: string) => number;
}

/** Deeper than any event; what is deeper is not looked at. */
const DEPTH_MAX = 64;

function inStyle(
  text: string,
  { colon, comma, indent }: JsonStyle,
  { spell = (raw) => raw, order }: JsonWay,
): string | null {
  const block = (open: string, parts: readonly string[], close: string, depth: number): string => {
    if (parts.length === 0) return open + close;
    if (indent === null) return open + parts.join(comma) + close;
    const line = (level: number): string => `\n${indent.repeat(level)}`;
    return open + line(depth + 1) + parts.join(`,${line(depth + 1)}`) + line(depth) + close;
  };
  const fold = {
    string: spell,
    scalar: (raw: string) => raw,
    array: (items: readonly string[], depth: number) => block('[', items, ']', depth),
    object: (members: readonly (readonly [name: string, value: string])[], depth: number) => {
      const ordered = order === undefined ? members : members.toSorted(([one], [other]) => order(one, other));
      const parts = ordered.map(([name, value]) => spell(name) + colon + value);
      return block('{', parts, '}', depth);
    },
  };
  return foldJson(text, fold, DEPTH_MAX);
}
