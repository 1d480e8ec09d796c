/** JSON in bytes: finds values without parsing them, so that bytes pass through unchanged; and the values themselves. */
import { jsonIn, utf8In } from './json.js';

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
  if (first !== OPEN_ARRAY && first !== OPEN_OBJECT) return endOfScalar(bytes, start);
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

function endOfScalar(bytes: Uint8Array, start: number): number | null {
  let at = start;
  while (at < bytes.length && !isDelimiter(bytes[at])) at += 1;
  return at === start ? null : at;
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

/** The path of a name that an object of the text has twice, at any depth: nobody knows which of both is meant. Null where none has. */
export function repeatedName(text: string): string | null {
  const bytes = Buffer.from(text);
  const open: [start: number, path: string][] = [[0, '']];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [start, path] = next;
    const seen = new Set<string>();
    for (const member of membersAt(bytes, start) ?? []) {
      const at = path === '' ? member.name : `${path}.${member.name}`;
      if (seen.has(member.name)) return at;
      seen.add(member.name);
      if (bytes[member.start] === OPEN_OBJECT) open.push([member.start, at]);
    }
  }
  return null;
}
