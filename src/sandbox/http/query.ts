/**
 * Reads the query of a request: each parameter that an endpoint knows at most once, others ignored; and the cursors of the feed, sealed
 * for their company and valid for ever.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Detail } from '../../contract/errors.js';
import type { StoredCompany } from '../store/companies.js';
import type { HttpRefusal } from '../message.js';

export type QueryValues<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/**
 * The values of the parameters with these names; `field_invalid` where one is repeated, in array syntax or not decodable.
 * @param text what follows the question mark, as sent
 */
export function readQuery<Name extends string>(
  text: string,
  names: readonly Name[],
): QueryValues<Name> | HttpRefusal {
  const values: Partial<Record<Name, string>> = {};
  const invalid = new Set<Name>();
  for (const part of text === '' ? [] : text.split('&')) {
    const equals = part.indexOf('=');
    const written = decode(equals === -1 ? part : part.slice(0, equals)) ?? '';
    const name = names.find((known) => written === known || written.startsWith(`${known}[`));
    if (name === undefined) continue;
    const value = decode(equals === -1 ? '' : part.slice(equals + 1));
    if (value === null || written !== name || values[name] !== undefined) invalid.add(name);
    else values[name] = value;
  }
  if (invalid.size === 0) return values;
  return {
    refusal: 'field_invalid',
    details: [...invalid].map((field): Detail => ({ field, code: 'invalid' })),
  };
}

/** How many elements a page is asked to have, both bounds included; null for anything else. @param usual without the parameter */
export function readLimit(
  text: string | undefined,
  usual: number,
  least: number,
  most: number,
): number | null {
  if (text === undefined) return usual;
  const limit = /^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : 0;
  return limit >= least && limit <= most ? limit : null;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

const POSITION_BYTES = 6;
const SEAL_BYTES = 15;
/** Four characters for every three bytes: no padding. */
const SHAPE = /^[A-Za-z0-9_-]{28}$/;

/** The cursor that continues after the event of that sequence number. */
export function sealCursor(secret: string, company: StoredCompany, sequence: number): string {
  const position = Buffer.alloc(POSITION_BYTES);
  position.writeUIntBE(sequence, 0, POSITION_BYTES);
  return Buffer.concat([position, seal(secret, company, position)]).toString('base64url');
}

/** The sequence number a cursor continues after; null where this company never got it. */
export function unsealCursor(secret: string, company: StoredCompany, cursor: string): number | null {
  if (!SHAPE.test(cursor)) return null;
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(0, POSITION_BYTES);
  const isOurs = timingSafeEqual(bytes.subarray(POSITION_BYTES), seal(secret, company, position));
  return isOurs ? position.readUIntBE(0, POSITION_BYTES) : null;
}

/** The company's name and not its number, so that a cursor outlives a reset. */
function seal(secret: string, { environment, name }: StoredCompany, position: Buffer): Buffer {
  return createHmac('sha256', secret)
    .update(`${environment}\n${name}\n`)
    .update(position)
    .digest()
    .subarray(0, SEAL_BYTES);
}
