/** How PostgreSQL keeps an operation: what it is found by, and texts that are any. */
import { markOf } from '../../../contract/marks.js';
import type { Keeping } from '../records.js';

const ESCAPED = '\u0001';

/** Text of PostgreSQL holds no zero and no half of a pair; ours may be any. */
export function heldText<T extends string | null>(text: T): T {
  if (text === null) return text;
  const isPlain = !text.includes('\0') && !text.startsWith(ESCAPED) && text.isWellFormed();
  return isPlain ? text : (`${ESCAPED}${JSON.stringify(text)}` as T);
}

/** What was held, as it was. */
export function toldText<T extends string | null>(held: T): T {
  return held?.startsWith(ESCAPED) === true ? (JSON.parse(held.slice(1)) as T) : held;
}

export const SHARED: Keeping<Buffer> = {
  id: (stored) => Buffer.from(markOf(stored)),
  reference: (direction, folded) => Buffer.from(markOf(direction, folded)),
  isSame: (one, other) => one.equals(other),
  held: heldText,
  told: toldText,
};
