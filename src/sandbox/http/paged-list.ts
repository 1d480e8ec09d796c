/** A list that comes in pages, answered (section 6): its limit, its bytes, and its cursors, which are sealed for their company and valid for ever. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Detail } from '../../contract/errors.js';
import type { StoredCompany } from '../store/companies.js';
import type { EndpointCall, EndpointHandler } from './call.js';
import { readLimit, readQuery } from './query.js';

export interface PagedList {
  /** Its member in the answer; a cursor of one list is none of another. */
  readonly name: string;
  /** How many elements a page has at least, at most, and where nobody says it. */
  readonly limits: { readonly least: number; readonly most: number; readonly usual: number };
  /** The elements behind a position, in their order; 0 is the beginning. A position is a whole number that grows. */
  readonly after: (
    call: EndpointCall,
    position: number,
    limit: number,
  ) => Iterable<{ readonly position: number; readonly json: string }>;
}

/** A page stays under 1 MiB, its wrapper and cursor included. */
const PAGE_MAX_BYTES = 1024 * 1024 - 1024;

export function inPages({ name, limits, after }: PagedList): EndpointHandler {
  return (call) => {
    const values = readQuery(call.query, ['cursor', 'limit']);
    if ('refusal' in values) return values;
    const { cursor } = values;
    const place = { list: name, secret: call.world.cursorSecret, company: call.company };
    const limit = readLimit(values.limit, limits.usual, limits.least, limits.most);
    const from = cursor === undefined ? 0 : unsealCursor(place, cursor);
    const details: Detail[] = [];
    if (from === null) details.push({ field: 'cursor', code: 'invalid' });
    if (limit === null) details.push({ field: 'limit', code: 'invalid' });
    if (from === null || limit === null) return { refusal: 'field_invalid', details };
    const page: string[] = [];
    let last = from;
    let bytes = 0;
    for (const { position, json } of after(call, from, limit)) {
      bytes += Buffer.byteLength(json) + 1;
      if (bytes > PAGE_MAX_BYTES) break;
      page.push(json);
      last = position;
    }
    const next = page.length === 0 ? (cursor ?? null) : sealCursor(place, last);
    return `{"${name}":[${page.join(',')}],"next_cursor":${JSON.stringify(next)}}`;
  };
}

/** Where a cursor is good. */
interface CursorPlace {
  readonly list: string;
  /** Of the store. */
  readonly secret: string;
  readonly company: StoredCompany;
}

const POSITION_BYTES = 6;
const SEAL_BYTES = 15;
/** Four characters for every three bytes: no padding. */
const SHAPE = /^[A-Za-z0-9_-]{28}$/;

/** The cursor that continues after that position. */
export function sealCursor(place: CursorPlace, position: number): string {
  const bytes = Buffer.alloc(POSITION_BYTES);
  bytes.writeUIntBE(position, 0, POSITION_BYTES);
  return Buffer.concat([bytes, sealOf(place, bytes)]).toString('base64url');
}

/** The position that a cursor continues after; null where this company never got it for this list. */
export function unsealCursor(place: CursorPlace, cursor: string): number | null {
  if (!SHAPE.test(cursor)) return null;
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(0, POSITION_BYTES);
  const isOurs = timingSafeEqual(bytes.subarray(POSITION_BYTES), sealOf(place, position));
  return isOurs ? position.readUIntBE(0, POSITION_BYTES) : null;
}

/** The company's name and not its number, so that a cursor outlives a reset. */
function sealOf({ list, secret, company }: CursorPlace, position: Buffer): Buffer {
  return createHmac('sha256', secret)
    .update(`${list}\n${company.environment}\n${company.name}\n`)
    .update(position)
    .digest()
    .subarray(0, SEAL_BYTES);
}
