/** By what lines and operations are brought together, as texts that are equal where they name the same. Pure. */
import { isUuid } from '../../contract/notation.js';
import { foldReference } from '../../contract/reference.js';
import type { MatchKey } from '../finding.js';

export interface Names {
  readonly id: string | null;
  readonly reference: string | null;
  readonly bankReference: string | null;
}

/** The names of a line or of an operation as they are compared; null for what names nothing. */
export function keysOf({ id, reference, bankReference }: Names): Record<MatchKey, string | null> {
  return {
    id: keyOf(id, (text) => (isUuid(text) ? text.toLowerCase() : text)),
    reference: keyOf(reference, foldReference),
    bank_reference: keyOf(bankReference, foldReference),
  };
}

function keyOf(text: string | null, fold: (text: string) => string): string | null {
  const folded = text === null ? '' : fold(text);
  return folded === '' ? null : heldText(folded);
}

/** SQLite ends a text at a NUL in places, and makes all halves of characters one: such a text is stored as JSON, which is ASCII there. */
function heldText(text: string): string {
  return /[\0\p{Cs}]|^"/u.test(text) ? JSON.stringify(text) : text;
}

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Days since the epoch. @throws RangeError for what is no day */
export function dayNumber(day: string): number {
  const ms = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(ms)) throw new RangeError('a day is not written as YYYY-MM-DD');
  return ms / DAY_MS;
}
