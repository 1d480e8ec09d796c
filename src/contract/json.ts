/** JSON as text and as bytes: read without an error, values found without parsing them, so that bytes pass through unchanged, and its canonical form. Pure. */

/** Bytes as UTF-8, or some of them; none is copied before. */
export function utf8In(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8', start, end);
}

/** The value of a text or of its bytes; undefined where that is no JSON. */
export function jsonIn(source: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof source === 'string' ? source : utf8In(source)) as unknown;
  } catch {
    return undefined;
  }
}

/** What becomes of each part of a text; null gives up. Depths are those of the whole, from 0. */
interface JsonFold<T> {
  /** @param raw with its quotes and escapes */
  readonly string: (raw: string) => T;
  /** A number, `true`, `false` or `null`. */
  readonly scalar: (raw: string) => T;
  readonly array: (items: readonly T[], depth: number) => T;
  /** Names as strings are, repeated ones included. */
  readonly object: (members: readonly (readonly [name: string, value: T])[], depth: number) => T | null;
}

/**
 * Folds a text that `JSON.parse` accepts from the inside out.
 * @param depthMax so many arrays and objects within one another
 * @returns null where there are more
 */
export function foldJson<T>(text: string, fold: JsonFold<T>, depthMax: number): T | null {
  let at = 0;

  const skipSpace = (): void => {
    for (let code = text.charCodeAt(at); code === 32 || code === 10 || code === 13 || code === 9;) {
      at += 1;
      code = text.charCodeAt(at);
    }
  };

  const string = (): string => {
    const start = at;
    let end = text.indexOf('"', at + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    at = end + 1;
    return text.slice(start, at);
  };

  const scalar = (): string => {
    const start = at;
    while (at < text.length && !',]} \n\r\t'.includes(text.charAt(at))) at += 1;
    return text.slice(start, at);
  };

  const value = (depth: number): T | null => {
    skipSpace();
    const first = text[at];
    if (first === '"') return fold.string(string());
    if (first !== '[' && first !== '{') return fold.scalar(scalar());
    if (depth >= depthMax) return null;
    const close = first === '[' ? ']' : '}';
    const members: [name: string, value: T][] = [];
    at += 1;
    skipSpace();
    while (text[at] !== close) {
      if (text[at] === ',') at += 1;
      skipSpace();
      const name = first === '{' ? string() : '';
      if (first === '{') skipSpace();
      if (first === '{') at += 1;
      const inner = value(depth + 1);
      if (inner === null) return null;
      members.push([name, inner]);
      skipSpace();
    }
    at += 1;
    return first === '{'
      ? fold.object(members, depth)
      : fold.array(
          members.map(([, inner]) => inner),
          depth,
        );
  };

  return value(0);
}

function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1;
  while (text[before] === '\\') before -= 1;
  return (quote - before) % 2 === 0;
}

/** Deep enough for 4 KB of metadata made of brackets alone; beyond it a body is not worth reading. */
const DEPTH_MAX = 2100;

/** A longer exponent stands for no amount of anything, and costs more than its length to read: it is compared as it is written. */
const MAX_EXPONENT_LENGTH = 100;

/**
 * Equal for equal values, whatever their key order, spacing, escapes or way to write a number, of text that `JSON.parse` accepts. Numbers
 * keep every digit. Null where a name is repeated in an object, or where values nest too deep.
 */
export function canonicalOf(text: string): string | null {
  const plain = (raw: string): string => (raw.includes('\\') ? JSON.stringify(JSON.parse(raw)) : raw);
  const object = (all: readonly (readonly [name: string, value: string])[]): string | null => {
    const members = new Map(all.map(([name, value]) => [plain(name), value]));
    const names = [...members.keys()].sort();
    const written = names.map((name) => `${name}:${members.get(name) ?? ''}`);
    return members.size === all.length ? `{${written.join(',')}}` : null;
  };
  return foldJson(
    text,
    { string: plain, scalar: canonicalScalar, array: (items) => `[${items.join(',')}]`, object },
    DEPTH_MAX,
  );
}

/** `10`, `10.0` and `1e1` are one number; digits beyond a double's stay apart. */
function canonicalScalar(raw: string): string {
  if (raw === 'true' || raw === 'false' || raw === 'null') return raw;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(raw) ?? [];
  if (exponent.length > MAX_EXPONENT_LENGTH) return raw;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return '0';
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}

/** A loop, because a regular expression tries again at every zero inside: minutes for a number of a million digits. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/** A slice of a byte array: `start` inclusive, `end` exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * The elements of the JSON array that begins at `start` (white space before it is skipped, and at the very beginning a byte order mark).
 * Null where no array stands there or it never ends. Elements are sliced, not validated.
 */
export function elementsAt(bytes: Uint8Array, start = 0): Range[] | null {
  let at = beginningAt(bytes, start);
  if (bytes[at] !== OPEN_ARRAY) return null;
  const elements: Range[] = [];
  at = skipSpace(bytes, at + 1);
  if (bytes[at] === CLOSE_ARRAY) return elements;
  for (;;) {
    const end = endOfValue(bytes, at);
    if (end === null) return null;
    elements.push({ start: at, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_ARRAY) return elements;
    if (bytes[at] !== COMMA) return null;
    at = skipSpace(bytes, at + 1);
  }
}

/** A member of an object: its name (decoded) and where its value stands. */
export interface Member extends Range {
  readonly name: string;
}

/**
 * The members of the JSON object that begins at `start` as above, repeated names included, in their order.
 * Null where no object stands there or it never ends.
 */
export function membersAt(bytes: Uint8Array, start = 0): Member[] | null {
  let at = beginningAt(bytes, start);
  if (bytes[at] !== OPEN_OBJECT) return null;
  const members: Member[] = [];
  at = skipSpace(bytes, at + 1);
  if (bytes[at] === CLOSE_OBJECT) return members;
  for (;;) {
    const nameEnd = bytes[at] === QUOTE ? endOfValue(bytes, at) : null;
    if (nameEnd === null) return null;
    const name = jsonIn(utf8In(bytes, at, nameEnd));
    at = skipSpace(bytes, nameEnd);
    if (typeof name !== 'string' || bytes[at] !== COLON) return null;
    at = skipSpace(bytes, at + 1);
    const end = endOfValue(bytes, at);
    if (end === null) return null;
    members.push({ name, start: at, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_OBJECT) return members;
    if (bytes[at] !== COMMA) return null;
    at = skipSpace(bytes, at + 1);
  }
}

/** Where the value of a member stands; of repeated names the last counts, as for every JSON parser. */
export function memberAt(bytes: Uint8Array, name: string, start = 0): Range | null {
  return membersAt(bytes, start)?.findLast((member) => member.name === name) ?? null;
}

/** The end of the value that begins at `start` (a byte that is no white space), or null where it never ends. Nothing recurses. */
function endOfValue(bytes: Uint8Array, start: number): number | null {
  const first = bytes[start];
  if (first === undefined) return null;
  if (first === QUOTE) return endOfString(bytes, start);
  if (first !== OPEN_ARRAY && first !== OPEN_OBJECT) {
    let end = start;
    while (end < bytes.length && !isDelimiter(bytes[end])) end += 1;
    return end === start ? null : end;
  }
  let depth = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      if (end === null) return null;
      at = end - 1;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return null;
}

/** A loop, not `indexOf`: the strings of an answer are short, and a native call for each costs three times as much. */
function endOfString(bytes: Uint8Array, start: number): number | null {
  for (let at = start + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  return null;
}

function isDelimiter(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT || byte === COLON || isSpace(byte);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function beginningAt(bytes: Uint8Array, start: number): number {
  return skipSpace(bytes, start === 0 ? markLength(bytes) : start);
}

function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

/** The length of a byte order mark at the beginning, which is no JSON and which some in between put there: 3 or none. */
export function markLength(bytes: Uint8Array): 0 | 3 {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** The same bytes without it; nothing is copied. */
export function withoutMark(bytes: Uint8Array): Uint8Array {
  const length = markLength(bytes);
  return length === 0 ? bytes : bytes.subarray(length);
}

/** The value in the bytes of an answer. @throws SyntaxError where there is none */
export function parseJson(bytes: Uint8Array): unknown {
  return JSON.parse(utf8In(withoutMark(bytes)));
}

/** Stands in for the list, so that what follows it reads as an object of its own. */
const STAND_IN = Buffer.from('{"":0');

interface ListRead {
  /** Where the elements stand. */
  readonly elements: Range[];
  /** The members of the object around the list, but for the list itself; none where the body is the list. */
  readonly others: readonly Member[];
}

/**
 * The list in a body: by the wrapper's name, else the only array in the object, else the body itself when it is an array.
 * Null where there is no list, or more than one to choose from. Sliced, not validated.
 */
export function readList(body: Uint8Array, wrapper: string | null): ListRead | null {
  const leading = wrapper === null ? null : readLeading(body, wrapper);
  if (leading !== null) return leading;
  const members = membersAt(body);
  if (members === null) return withElements(elementsAt(body), []);
  const named = members.findLast(({ name }) => name === wrapper);
  const isNamed = named !== undefined && isArray(body, named);
  const arrays = members.filter((member) => isArray(body, member));
  const list = isNamed ? named : arrays.length === 1 ? arrays[0] : undefined;
  if (list === undefined) return null;
  return withElements(
    elementsAt(body, list.start),
    members.filter((member) => member !== list),
  );
}

/**
 * The same for the usual shape, where the wrapper comes first: the elements are walked over once instead of twice.
 * Null where the body is of another shape, or names the wrapper again behind it.
 */
function readLeading(body: Uint8Array, wrapper: string): ListRead | null {
  const start = Buffer.from(`{${JSON.stringify(wrapper)}:[`);
  if (!start.equals(body.subarray(0, start.length))) return null;
  const elements = elementsAt(body, start.length - 1);
  if (elements === null) return null;
  const end = body.indexOf(CLOSE_ARRAY, elements.at(-1)?.end ?? start.length) + 1;
  const others = membersAt(Buffer.concat([STAND_IN, body.subarray(end)]));
  if (others === null || others.some(({ name }) => name === wrapper)) return null;
  const shift = end - STAND_IN.length;
  const behind = others.slice(1);
  return {
    elements,
    others: behind.map((member) => ({
      name: member.name,
      start: member.start + shift,
      end: member.end + shift,
    })),
  };
}

function withElements(elements: Range[] | null, others: readonly Member[]): ListRead | null {
  return elements === null ? null : { elements, others };
}

function isArray(body: Uint8Array, range: Range): boolean {
  return body[range.start] === OPEN_ARRAY;
}

/** Strings, with the colon behind a name, and brackets: nothing else of a text says where its names are. */
const MARKS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[[\]{}]/g;

/**
 * The path of the first name that an object has twice, at any depth: nobody knows which of both is meant. Null where none has.
 * @param text that `JSON.parse` accepts
 */
export function repeatedName(text: string): string | null {
  const open: { name: string | null; readonly seen: Set<string> }[] = [];
  for (const [mark, string, colon] of text.matchAll(MARKS)) {
    const inner = open.at(-1);
    if (mark === '{' || mark === '[') open.push({ name: null, seen: new Set() });
    else if (mark === '}' || mark === ']') open.pop();
    else if (string !== undefined && colon !== undefined && inner !== undefined) {
      inner.name = JSON.parse(string) as string;
      if (inner.seen.has(inner.name)) return open.flatMap(({ name }) => name ?? []).join('.');
      inner.seen.add(inner.name);
    }
  }
  return null;
}

/** What strict JSON came to: its value, or why its bytes are none, in words that stand behind "it". */
export type StrictJson =
  { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'damage'; readonly damage: string };

/** The one value of bytes that every JSON parser reads alike: UTF-8, no byte order mark, no name twice in an object (by escape neither). */
export function strictJsonIn(bytes: Uint8Array): StrictJson {
  const damaged = (damage: string): StrictJson => ({ kind: 'damage', damage });
  if (markLength(bytes) > 0) return damaged('begins with a byte order mark');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return damaged('is not UTF-8');
  }
  const value = jsonIn(text);
  if (value === undefined) return damaged('is not JSON');
  if (canonicalOf(text) !== null) return { kind: 'value', value };
  const twice = repeatedName(text);
  return damaged(twice === null ? 'nests too deep' : `has ${twice} twice`);
}
