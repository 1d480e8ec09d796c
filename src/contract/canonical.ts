/** The canonical form of JSON text: equal for equal values whatever their key order, spacing, escapes or way to write a number. */

/** Deep enough for 4 KB of metadata made of brackets alone; beyond it a body is not worth reading. */
const MAX_DEPTH = 2100;

/** A longer exponent stands for no amount of anything, and costs more than its length to read: it is compared as it is written. */
const MAX_EXPONENT_LENGTH = 100;

class Unsound extends Error {}

/**
 * The canonical form of text that `JSON.parse` accepts; numbers keep every digit.
 * Null where a name is repeated in an object, or where values nest too deep.
 */
export function canonicalOf(text: string): string | null {
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
    const raw = text.slice(start, at);
    return raw.includes('\\') ? JSON.stringify(JSON.parse(raw)) : raw;
  };

  const readScalar = (): string => {
    const start = at;
    while (at < text.length && !',]} \n\r\t'.includes(text.charAt(at))) at += 1;
    const raw = text.slice(start, at);
    return raw === 'true' || raw === 'false' || raw === 'null' ? raw : canonicalNumber(raw);
  };

  const readList = (close: string, readItem: () => void): void => {
    at += 1;
    skipSpace();
    while (text[at] !== close) {
      readItem();
      skipSpace();
      if (text[at] === ',') at += 1;
      skipSpace();
    }
    at += 1;
  };

  const readValue = (depth: number): string => {
    if (depth > MAX_DEPTH) throw new Unsound();
    skipSpace();
    const first = text[at];
    if (first === '"') return readString();
    if (first === '[') {
      const items: string[] = [];
      readList(']', () => items.push(readValue(depth + 1)));
      return `[${items.join(',')}]`;
    }
    if (first !== '{') return readScalar();
    const members = new Map<string, string>();
    readList('}', () => {
      const name = readString();
      if (members.has(name)) throw new Unsound();
      skipSpace();
      at += 1;
      members.set(name, readValue(depth + 1));
    });
    const names = [...members.keys()].sort();
    return `{${names.map((name) => `${name}:${members.get(name) ?? ''}`).join(',')}}`;
  };

  try {
    return readValue(0);
  } catch (error) {
    if (error instanceof Unsound) return null;
    throw error;
  }
}

function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1;
  while (text[before] === '\\') before -= 1;
  return (quote - before) % 2 === 0;
}

/** `10`, `10.0` and `1e1` are one number; digits beyond a double's stay apart. */
function canonicalNumber(raw: string): string {
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
