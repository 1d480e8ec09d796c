/** Identifiers: operation ids are uuids and idempotency keys have a length; both are checked before a path or a header is built. */
import { LIMITS } from './limits.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for a uuid of any version, in either case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** True for 8 to 128 visible ASCII characters: the length of section 8, in characters that a header carries unchanged. */
export function isIdempotencyKey(text: string): boolean {
  const { idempotencyKeyMinCharacters: min, idempotencyKeyMaxCharacters: max } = LIMITS;
  return text.length >= min && text.length <= max && /^[\x21-\x7e]+$/.test(text);
}
