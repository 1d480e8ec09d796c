/** JSON as `jsonb` of PostgreSQL can hold it: what it can't is put in another form, and that is said. Pure. */
import { foldJson } from '../../contract/json.js';
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

/**
 * Null where it is too deep to be held. Texts lose what PostgreSQL has no letter for (it becomes U+FFFD), numbers that it can't hold become
 * texts, and of members of one name the last stays.
 * @param value what the parser made of the text
 */
export function heldJson(text: string, value: unknown): HeldJson | null {
  if (isPlain(text, value)) return { text, isWhole: true };
  let isWhole = true as boolean;
  const string = (raw: string): string => {
    const decoded = JSON.parse(raw) as string;
    const held = storable(decoded);
    if (held === decoded) return raw;
    isWhole = false;
    return JSON.stringify(held);
  };
  const scalar = (raw: string): string => {
    if (/^[tfn]/.test(raw) || NUMBER.test(raw)) return raw;
    isWhole = false;
    return JSON.stringify(raw);
  };
  const object = (members: readonly (readonly [name: string, value: string])[]): string => {
    const held = members.map(([name, inner]) => [string(name), inner] as const);
    const names = new Set(held.map(([name]) => JSON.parse(name) as string));
    if (names.size < held.length) isWhole = false;
    return `{${held.map(([name, inner]) => `${name}:${inner}`).join(',')}}`;
  };
  const array = (items: readonly string[]): string => `[${items.join(',')}]`;
  const written = foldJson(text, { string, scalar, array, object }, DEPTH_MAX);
  return written === null ? null : { text: isWhole ? text : written, isWhole };
}

/** As everybody writes it, so that nothing is repeated and no number is odd; and what would be escaped so is no letter. */
export function isPlain(text: string, value: unknown): boolean {
  return text.length <= SHORT && !text.includes('\\u') && JSON.stringify(value) === text;
}
