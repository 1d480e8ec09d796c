/** A mark is a hash that the stores keep instead of names and accounts. */
import { hash } from 'node:crypto';
import { canonicalJson, jsonIn, decodeUtf8 } from './json.js';
import { partyOf, type Direction } from './operation.js';
import { canonicalDecimal } from './money.js';
import { foldReference } from './reference.js';
import { withoutNulls } from './shape.js';

const MARK_BYTES = 16;

export function markOf(...parts: readonly string[]): Uint8Array {
  return hash('sha256', parts.join('\0'), 'buffer').subarray(0, MARK_BYTES);
}

export function referenceMark(reference: string): Uint8Array {
  return markOf(foldReference(reference));
}

export function bodyMark(body: Uint8Array): Uint8Array {
  const text = decodeUtf8(body);
  if (jsonIn(text) === undefined) return hash('sha256', body, 'buffer').subarray(0, MARK_BYTES);
  return markOf(canonicalJson(text) ?? text);
}

type Members = Readonly<Record<string, unknown>>;

/** Two payments of the same amount to the same account or phone have the same mark, whatever their names and references. */
export function twinMark(body: Members, direction: Direction): Uint8Array {
  const party = readParty(body, direction);
  const accountOrParty = readAccount(party) ?? canonicalJson(JSON.stringify(withoutNulls(party))) ?? '';
  const [currency, amount] = [String(body['currency']).toUpperCase(), String(body['amount'])];
  return markOf(currency, canonicalDecimal(amount) ?? amount, accountOrParty);
}

export function metadataMark({ metadata }: Members): Uint8Array {
  return markOf(canonicalJson(JSON.stringify(metadata ?? {})) ?? '');
}

const TAIL_CHARACTERS = 4;

export function accountTail(body: Members, direction: Direction): string | null {
  const account = readAccount(readParty(body, direction));
  const lettersAndDigits = account?.toLowerCase().replace(/[^0-9a-z]/g, '') ?? '';
  return lettersAndDigits === '' ? null : lettersAndDigits.slice(-TAIL_CHARACTERS);
}

function readParty(body: Members, direction: Direction): Members {
  const party = body[partyOf(direction)];
  return typeof party === 'object' && party !== null ? (party as Members) : {};
}

function readAccount(party: Members): string | undefined {
  return textOf(party['account_number']) ?? textOf(party['phone']);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
