/** Cursors of the feed: opaque, bound to their company by a seal, valid for ever. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Company } from '../store/companies.js';

const POSITION_BYTES = 6;
const SEAL_BYTES = 15;
/** Four characters for every three bytes: no padding. */
const SHAPE = /^[A-Za-z0-9_-]{28}$/;

/** The cursor that continues after the event of that sequence number. */
export function writeCursor(secret: string, company: Company, sequence: number): string {
  const position = Buffer.alloc(POSITION_BYTES);
  position.writeUIntBE(sequence, 0, POSITION_BYTES);
  return Buffer.concat([position, seal(secret, company, position)]).toString('base64url');
}

/** The sequence number a cursor continues after; null where this company never got it. */
export function readCursor(secret: string, company: Company, cursor: string): number | null {
  if (!SHAPE.test(cursor)) return null;
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(0, POSITION_BYTES);
  const isOurs = timingSafeEqual(bytes.subarray(POSITION_BYTES), seal(secret, company, position));
  return isOurs ? position.readUIntBE(0, POSITION_BYTES) : null;
}

/** The company's name and not its number, so that a cursor outlives a reset. */
function seal(secret: string, { environment, name }: Company, position: Buffer): Buffer {
  return createHmac('sha256', secret)
    .update(`${environment}\n${name}\n`)
    .update(position)
    .digest()
    .subarray(0, SEAL_BYTES);
}
