/** JSON as `jsonb` of PostgreSQL can hold it: what it can't is put in another form, and that is said. Pure. */
import { storable } from '../../state/sql.js';

export interface HeldJson {
  readonly text: string;
  /** False where something of it is in another form, or was left out. */
  readonly isWhole: boolean;
}

/** Longer ones are looked at piece by piece: they may be deep. */
const SHORT = 4000;
const DEPTH_MAX = 500;
const NUMBER = /^-?[0-9]{1,1000}(\.[0-9]{1,1000})?([eE][+-]?[0-9]{1,3})?$/;
const SPACE = /[ \t\n\r]/;

/**
 * Null where it is too deep to be held. Texts lose what PostgreSQL has no letter for (it becomes U+FFFD), numbers that it can't hold become
 * texts, and of members of one name the last stays.
 * @param value what the parser made of the text
 */
export function heldJson(text: string, value: unknown): HeldJson | null {
  if (isPlain(text, value)) return { text, isWhole: true };
  const writer = new Rewriter(text);
  const written = writer.value(0);
  return written === null ? null : { text: writer.isWhole ? text : written, isWhole: writer.isWhole };
}

/** As everybody writes it, so that nothing is repeated and no number is odd; and what would be escaped so is no letter. */
export function isPlain(text: string, value: unknown): boolean {
  return text.length <= SHORT && !text.includes('\\u') && JSON.stringify(value) === text;
}

/** Walks over a text that a parser took. */
class Rewriter {
  isWhole = true;
  #at = 0;
  constructor(readonly text: string) {}

  /** Null where something in it is too deep. */
  value(depth: number): string | null {
    this.#skipSpace();
    const first = this.text[this.#at];
    if (first === '"') return this.#string();
    if (first !== '{' && first !== '[') return this.#scalar();
    return depth >= DEPTH_MAX ? null : this.#container(first === '{', depth + 1);
  }

  #container(isObject: boolean, depth: number): string | null {
    const [open, close] = isObject ? ['{', '}'] : ['[', ']'];
    const parts: string[] = [];
    const names = new Set<string>();
    this.#at += 1;
    for (;;) {
      this.#skipSpace();
      if (this.text[this.#at] === close) break;
      if (this.text[this.#at] === ',') this.#at += 1;
      const name = isObject ? this.#name(names) : '';
      const value = this.value(depth);
      if (value === null) return null;
      parts.push(name + value);
    }
    this.#at += 1;
    return `${open}${parts.join(',')}${close}`;
  }

  #name(names: Set<string>): string {
    this.#skipSpace();
    const name = this.#string();
    const decoded = JSON.parse(name) as string;
    if (names.has(decoded)) this.isWhole = false;
    names.add(decoded);
    this.#skipSpace();
    this.#at += 1;
    return `${name}:`;
  }

  #string(): string {
    const start = this.#at;
    this.#at += 1;
    for (; this.text[this.#at] !== '"'; this.#at += 1) if (this.text[this.#at] === '\\') this.#at += 1;
    this.#at += 1;
    const token = this.text.slice(start, this.#at);
    const decoded = JSON.parse(token) as string;
    const held = storable(decoded);
    if (held === decoded) return token;
    this.isWhole = false;
    return JSON.stringify(held);
  }

  #scalar(): string {
    const start = this.#at;
    while (this.#at < this.text.length && !/[\s,\]}]/.test(this.text[this.#at] ?? '')) this.#at += 1;
    const token = this.text.slice(start, this.#at);
    if (/^[tfn]/.test(token) || NUMBER.test(token)) return token;
    this.isWhole = false;
    return JSON.stringify(token);
  }

  #skipSpace(): void {
    while (SPACE.test(this.text[this.#at] ?? '')) this.#at += 1;
  }
}
