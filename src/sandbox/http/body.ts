/** Reads request bodies: one JSON object in UTF-8, at most 1 MiB, no name twice; anything else is `body_invalid`. */
import { isUtf8 } from 'node:buffer';
import { memberAt } from '../../contract/json-bytes.js';
import type { Detail } from '../../contract/errors.js';
import type { HttpRefusal } from '../message.js';
import { canonicalOf } from '../../contract/json.js';

/** Beyond it a body is refused with 413; an adapter need not read further than one byte more. */
export const BODY_MAX_BYTES = 1024 * 1024;

export interface JsonBody {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Equal for equal JSON values. */
  readonly canonical: string;
}

function unreadable(why: string): HttpRefusal {
  return { refusal: 'body_invalid', why };
}

/** The JSON object that the bytes hold, or `body_invalid`. */
export function readObject(bytes: Uint8Array): JsonBody | HttpRefusal {
  const read = readValue(bytes);
  if ('refusal' in read) return read;
  const { value, canonical } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return unreadable('The body is JSON, but not an object.');
  return { fields: value as Record<string, unknown>, canonical };
}

/** Null where there is no body: nothing, `null` or `{}`; else what is wrong with it. */
export function refuseBody(bytes: Uint8Array): HttpRefusal | null {
  const read = readOptionalObject(bytes);
  if ('refusal' in read) return read;
  const names = Object.keys(read.fields);
  if (names.length === 0) return null;
  return { refusal: 'field_invalid', details: names.map((field): Detail => ({ field, code: 'unknown' })) };
}

/** As `readObject`, but nothing and `null` count as `{}`. */
export function readOptionalObject(bytes: Uint8Array): JsonBody | HttpRefusal {
  const isBlank = bytes.length <= 16 && ['', 'null'].includes(Buffer.from(bytes).toString('latin1').trim());
  return isBlank ? { fields: {}, canonical: '{}' } : readObject(bytes);
}

/** The text of a member's value as it was sent, or null where it is absent; `bytes` hold a JSON object. */
export function rawMember(bytes: Uint8Array, name: string): Uint8Array | null {
  const range = memberAt(bytes, name);
  return range === null ? null : bytes.subarray(range.start, range.end);
}

function readValue(bytes: Uint8Array): { value: unknown; canonical: string } | HttpRefusal {
  if (bytes.length > BODY_MAX_BYTES) return { ...unreadable('The body is larger than 1 MiB.'), status: 413 };
  if (bytes.length === 0) return unreadable('There is no body. Send one JSON object.');
  if (!isUtf8(bytes)) return unreadable('The body is not UTF-8.');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    const canonical = canonicalOf(text);
    return canonical === null
      ? unreadable('A name appears twice in one object of the body, or the body is nested too deep.')
      : { value, canonical };
  } catch (error) {
    return unreadable(`The body is not JSON: ${(error as Error).message}.`);
  }
}
