/** Marks: 16 bytes that find equal values without keeping them, so that the stores hold no names or accounts. Pure. */
import { hash } from 'node:crypto';
import { canonicalOf, jsonIn, utf8In } from './json.js';
import { partyOf, type Direction } from './operation.js';
import { canonicalDecimal } from './money.js';
import { foldReference } from './reference.js';
import { withoutNulls } from './shape.js';

const MARK_BYTES = 16;

/** The first 16 bytes of the SHA-256 of the parts, none of which holds NUL. */
export function markOf(...parts: readonly string[]): Uint8Array {
  return hash('sha256', parts.join('\0'), 'buffer').subarray(0, MARK_BYTES);
}

/** Equal for all spellings of a reference. */
export function referenceMark(reference: string): Uint8Array {
  return markOf(foldReference(reference));
}

/** Equal for equal JSON values, however they are written; for bytes that are no JSON equal for equal bytes. */
export function bodyMark(body: Uint8Array): Uint8Array {
  const text = utf8In(body);
  if (jsonIn(text) === undefined) return hash('sha256', body, 'buffer').subarray(0, MARK_BYTES);
  return markOf(canonicalOf(text) ?? text);
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Equal for the same account (or phone) and the same amount, whatever the name, the reference or the document: the same person is about
 * to be paid the same again.
 */
export function twinMark(body: Members, direction: Direction): Uint8Array {
  const members = partyIn(body, direction);
  const whose = accountIn(members) ?? canonicalOf(JSON.stringify(withoutNulls(members))) ?? '';
  const [currency, amount] = [String(body['currency']).toUpperCase(), String(body['amount'])];
  return markOf(currency, canonicalDecimal(amount) ?? amount, whose);
}

/** Equal for equal metadata, however it is written; none is what an empty one is. */
export function metadataMark({ metadata }: Members): Uint8Array {
  return markOf(canonicalOf(JSON.stringify(metadata ?? {})) ?? '');
}

const TAIL_CHARACTERS = 4;

/** The last four letters or digits of the account (or phone), in lower case; null where there is none. */
export function accountTail(body: Members, direction: Direction): string | null {
  const account = accountIn(partyIn(body, direction));
  const plain = account?.toLowerCase().replace(/[^0-9a-z]/g, '') ?? '';
  return plain === '' ? null : plain.slice(-TAIL_CHARACTERS);
}

function partyIn(body: Members, direction: Direction): Members {
  const party = body[partyOf(direction)];
  return typeof party === 'object' && party !== null ? (party as Members) : {};
}

function accountIn(party: Members): string | undefined {
  return textOf(party['account_number']) ?? textOf(party['phone']);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
