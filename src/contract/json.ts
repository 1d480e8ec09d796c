/** JSON text: read without an error, folded with every scalar as it is written, and in its canonical form. Pure. */

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
