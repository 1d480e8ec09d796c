/** How PostgreSQL keeps an operation: what it is found by, texts that are any, and what is said where it was changed. */
import { markOf } from '../../../contract/marks.js';
import { Failure } from '../../../runtime/failure.js';
import type { Connection } from '../../../state/connection.js';
import type { Ask } from '../../../state/dialect.js';
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
  opened: toldText,
};

/** Asks one statement; what is not what was written is damage. */
export function askOver(connection: Connection): Ask {
  return async (text, values, read) => {
    const { rows } = await connection.run<never>(text, values);
    try {
      return read(rows);
    } catch (error) {
      throw damagedMirror(error);
    }
  };
}

export function damagedMirror(what: unknown): Failure {
  const how = what instanceof Error ? what.message : String(what);
  return new Failure(
    'local_state',
    `The copy of the events in the database of the shared state is damaged: ${how}. Nothing was sent. Its owner must empty the table "companies" there. ` +
      'Then svc reads the events again from the start.',
    { code: 'store_damaged', outcome: 'not_sent', cause: what },
  );
}
