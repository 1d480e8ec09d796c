/** Identifiers: operation ids are uuids and idempotency keys have a length; both are checked before a path or a header is built. */
import { LIMITS } from './limits.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for a uuid of any version, in either case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/**
 * True for 8 to 128 printable ASCII characters (section 8) that begin and end with a visible one:
 * what stands around a header's value is not part of it, so a space there would not arrive.
 */
export function isIdempotencyKey(text: string): boolean {
  const { idempotencyKeyMinCharacters: min, idempotencyKeyMaxCharacters: max } = LIMITS;
  return text.length >= min && text.length <= max && /^[\x21-\x7e][\x20-\x7e]*[\x21-\x7e]$/.test(text);
}
