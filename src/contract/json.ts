export function decodeUtf8(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8', start, end);
}

export function jsonIn(source: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof source === 'string' ? source : decodeUtf8(source)) as unknown;
  } catch {
    return undefined;
  }
}

interface JsonFold<T> {
  readonly string: (raw: string) => T;
  readonly scalar: (raw: string) => T;
  readonly array: (items: readonly T[], depth: number) => T;
  readonly object: (members: readonly (readonly [name: string, value: T])[], depth: number) => T | null;
}

export function foldJson<T>(text: string, fold: JsonFold<T>, depthMax: number): T | null {
  let at = 0;

  const skipSpace = (): void => {
    for (let code = text.charCodeAt(at); code === 32 || code === 10 || code === 13 || code === 9;) {
      at += 1;
      code = text.charCodeAt(at);
    }
  };

  const readString = (): string => {
    const start = at;
    let end = text.indexOf('"', at + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    at = end + 1;
    return text.slice(start, at);
  };

  const readScalar = (): string => {
    const start = at;
    while (at < text.length && !',]} \n\r\t'.includes(text.charAt(at))) at += 1;
    return text.slice(start, at);
  };

  const readValue = (depth: number): T | null => {
    skipSpace();
    const first = text[at];
    if (first === '"') return fold.string(readString());
    if (first !== '[' && first !== '{') return fold.scalar(readScalar());
    if (depth >= depthMax) return null;
    const close = first === '[' ? ']' : '}';
    const members: [name: string, value: T][] = [];
    at += 1;
    skipSpace();
    while (text[at] !== close) {
      if (text[at] === ',') at += 1;
      skipSpace();
      const name = first === '{' ? readString() : '';
      if (first === '{') skipSpace();
      if (first === '{') at += 1;
      const inner = readValue(depth + 1);
      if (inner === null) return null;
      members.push([name, inner]);
      skipSpace();
    }
    at += 1;
    if (first === '{') return fold.object(members, depth);
    const items = members.map(([, inner]) => inner);
    return fold.array(items, depth);
  };

  return readValue(0);
}

export function isEscaped(text: string, quoteAt: number): boolean {
  let before = quoteAt - 1;
  while (text[before] === '\\') before -= 1;
  return (quoteAt - before) % 2 === 0;
}

const DEPTH_MAX = 2100;

const MAX_EXPONENT_LENGTH = 100;

/** Returns one text for all notations of the same JSON value, or null if an object repeats a name. */
export function canonicalJson(text: string): string | null {
  const plainString = (raw: string): string => (raw.includes('\\') ? JSON.stringify(JSON.parse(raw)) : raw);
  const object = (rawMembers: readonly (readonly [name: string, value: string])[]): string | null => {
    const members = new Map(rawMembers.map(([name, value]) => [plainString(name), value]));
    const names = [...members.keys()].sort();
    const pairs = names.map((name) => `${name}:${members.get(name) ?? ''}`);
    return members.size === rawMembers.length ? `{${pairs.join(',')}}` : null;
  };
  const array = (items: readonly string[]): string => `[${items.join(',')}]`;
  return foldJson(text, { string: plainString, scalar: canonicalScalar, array, object }, DEPTH_MAX);
}

function canonicalScalar(raw: string): string {
  if (raw === 'true' || raw === 'false' || raw === 'null') return raw;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(raw) ?? [];
  if (exponent.length > MAX_EXPONENT_LENGTH) return raw;
  const digits = (whole + fraction).replace(/^0+/, '');
  // This is a loop, because a regular expression would take minutes for a number of a million digits.
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const significant = digits.slice(0, end);
  if (significant === '') return '0';
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}

export type Range = Readonly<Record<'start' | 'end', number>>;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

export function elementsAt(bytes: Uint8Array, start = 0): Range[] | null {
  let at = startOfValue(bytes, start);
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

export interface Member extends Range {
  readonly name: string;
}

export function membersAt(bytes: Uint8Array, start = 0): Member[] | null {
  let at = startOfValue(bytes, start);
  if (bytes[at] !== OPEN_OBJECT) return null;
  const members: Member[] = [];
  at = skipSpace(bytes, at + 1);
  if (bytes[at] === CLOSE_OBJECT) return members;
  for (;;) {
    const nameEnd = bytes[at] === QUOTE ? endOfValue(bytes, at) : null;
    if (nameEnd === null) return null;
    const name = jsonIn(decodeUtf8(bytes, at, nameEnd));
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

export function memberAt(bytes: Uint8Array, name: string, start = 0): Range | null {
  return membersAt(bytes, start)?.findLast((member) => member.name === name) ?? null;
}

/** Does not recurse, so that deep values cannot overflow the stack. */
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

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function startOfValue(bytes: Uint8Array, start: number): number {
  return skipSpace(bytes, start === 0 ? byteOrderMarkLength(bytes) : start);
}

function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

/** JSON has no byte order mark, but some proxies add one. */
export function byteOrderMarkLength(bytes: Uint8Array): 0 | 3 {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

export function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  const length = byteOrderMarkLength(bytes);
  return length === 0 ? bytes : bytes.subarray(length);
}

export function parseJson(bytes: Uint8Array): unknown {
  return JSON.parse(decodeUtf8(withoutByteOrderMark(bytes)));
}

const LIST_STAND_IN = Buffer.from('{"":0');

/** Reads the array in the member `wrapper`, or else the only array of the body. */
export function readList(
  body: Uint8Array,
  wrapper: string | null,
): { readonly elements: Range[]; readonly others: readonly Member[] } | null {
  const leading = wrapper === null ? null : readLeadingList(body, wrapper);
  if (leading !== null) return leading;
  const members = membersAt(body);
  const arrays = members?.filter(({ start }) => body[start] === OPEN_ARRAY) ?? [];
  const wrapperMember = members?.findLast(({ name }) => name === wrapper);
  const list = arrays.find((one) => one === wrapperMember) ?? (arrays.length === 1 ? arrays[0] : undefined);
  if (members !== null && list === undefined) return null;
  const elements = elementsAt(body, list?.start);
  return elements === null ? null : { elements, others: members?.filter((one) => one !== list) ?? [] };
}

function readLeadingList(body: Uint8Array, wrapper: string): ReturnType<typeof readList> {
  const prefix = Buffer.from(`{${JSON.stringify(wrapper)}:[`);
  if (!prefix.equals(body.subarray(0, prefix.length))) return null;
  const elements = elementsAt(body, prefix.length - 1);
  if (elements === null) return null;
  const end = body.indexOf(CLOSE_ARRAY, elements.at(-1)?.end ?? prefix.length) + 1;
  const others = membersAt(Buffer.concat([LIST_STAND_IN, body.subarray(end)]));
  if (others === null || others.some(({ name }) => name === wrapper)) return null;
  const shift = end - LIST_STAND_IN.length;
  const shiftRange = (one: Member): Member => ({ ...one, start: one.start + shift, end: one.end + shift });
  return { elements, others: others.slice(1).map(shiftRange) };
}

const NAME_TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[[\]{}]/g;

export function repeatedPath(text: string): string | null {
  const stack: { name: string | null; readonly names: Set<string> }[] = [];
  for (const [token, string, colon] of text.matchAll(NAME_TOKENS)) {
    const inner = stack.at(-1);
    if (token === '{' || token === '[') stack.push({ name: null, names: new Set() });
    else if (token === '}' || token === ']') stack.pop();
    else if (string !== undefined && colon !== undefined && inner !== undefined) {
      inner.name = JSON.parse(string) as string;
      if (inner.names.has(inner.name)) return stack.flatMap(({ name }) => name ?? []).join('.');
      inner.names.add(inner.name);
    }
  }
  return null;
}

export type StrictJson =
  { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'damage'; readonly damage: string };

/** Refuses bytes that two JSON parsers could read differently. */
export function parseStrictJson(bytes: Uint8Array): StrictJson {
  const refuse = (damage: string): StrictJson => ({ kind: 'damage', damage });
  if (byteOrderMarkLength(bytes) > 0) return refuse('begins with a byte order mark');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse('is not UTF-8');
  }
  const value = jsonIn(text);
  if (value === undefined) return refuse('is not JSON');
  if (canonicalJson(text) !== null) return { kind: 'value', value };
  const path = repeatedPath(text);
  return refuse(path === null ? 'nests too deep' : `has ${path} twice`);
}
