/** The endpoints that only read: the catalog (sections 2.5 and 4), balances (section 4), and pages of events (section 6). */
import type { Balance } from '../../contract/catalog.js';
import type { Detail } from '../../contract/errors.js';
import { LIMITS } from '../../contract/limits.js';
import { COUNTRY_CODE } from '../../contract/notation.js';
import { DIRECTIONS } from '../../contract/operation.js';
import { fromMinor } from '../../contract/money.js';
import { banksOf, CAPABILITIES, DECIMALS, methodsOf } from '../catalog/catalog.js';
import type { Money, StoredCompany } from '../store/companies.js';
import { type EndpointHandler, readQuery, type EndpointCall, readLimit } from './call.js';
import { createHmac, timingSafeEqual } from 'node:crypto';

const capabilitiesJson = JSON.stringify(CAPABILITIES);

export const listsCapabilities = (): string => capabilitiesJson;

export const listsMethods: EndpointHandler = ({ query }) => {
  const values = readQuery(query, ['country', 'direction']);
  if ('refusal' in values) return values;
  const { country, direction } = values;
  const known = DIRECTIONS.find((name) => name === direction);
  const details: Detail[] = [];
  if (country !== undefined && !COUNTRY_CODE.test(country))
    details.push({ field: 'country', code: 'invalid' });
  if (direction !== undefined && known === undefined) details.push({ field: 'direction', code: 'invalid' });
  if (details.length > 0) return { refusal: 'field_invalid', details };
  const methods = methodsOf({ country, direction: known });
  return 'refusal' in methods ? methods : JSON.stringify({ methods });
};

export const listsBanks = ({ query }: Pick<EndpointCall, 'query'>): ReturnType<EndpointHandler> => {
  const values = readQuery(query, ['country', 'method']);
  if ('refusal' in values) return values;
  const { country, method } = values;
  if (country === undefined || country === '') {
    return { refusal: 'field_required', details: [{ field: 'country', code: 'required' }] };
  }
  const banks = banksOf(country, method);
  return 'refusal' in banks ? banks : JSON.stringify({ banks });
};

/** Every currency of the catalog, at zero where nothing moved yet. */
export const listsBalances: EndpointHandler = ({ world, company }) =>
  JSON.stringify({ balances: balancesOf(world.store.money, company.id) });

/** The balances of a company, by its number. */
export function balancesOf(money: Money, company: number): Balance[] {
  return [...DECIMALS].map(([code, decimals]): Balance => {
    const { available, reserved } = money.funds(company, code);
    return {
      currency: code,
      available: fromMinor(available, decimals),
      reserved: fromMinor(reserved, decimals),
    };
  });
}

/** A page stays under 1 MiB, its wrapper and cursor included. */
const PAGE_MAX_BYTES = 1024 * 1024 - 1024;
const PAGE_USUAL = 50;

export const listsEvents: EndpointHandler = ({ world, company, query }) => {
  const values = readQuery(query, ['cursor', 'limit']);
  if ('refusal' in values) return values;
  const { cursor } = values;
  const { settings, feed } = world.store;
  const place = { list: 'events', secret: settings.lasting('cursor_secret'), company };
  const limit = readLimit(values.limit, PAGE_USUAL, LIMITS.eventsPageMin, LIMITS.eventsPageMax);
  const from = cursor === undefined ? 0 : unsealCursor(place, cursor);
  const details: Detail[] = [];
  if (from === null) details.push({ field: 'cursor', code: 'invalid' });
  if (limit === null) details.push({ field: 'limit', code: 'invalid' });
  if (from === null || limit === null) return { refusal: 'field_invalid', details };
  const page: string[] = [];
  let last = from;
  let bytes = 0;
  for (const { position, json } of feed.after(company, from, limit)) {
    bytes += Buffer.byteLength(json) + 1;
    if (page.length > 0 && bytes > PAGE_MAX_BYTES) break;
    page.push(json);
    last = position;
  }
  const next = page.length === 0 ? (cursor ?? null) : sealCursor(place, last);
  return `{"events":[${page.join(',')}],"next_cursor":${JSON.stringify(next)}}`;
};

/** Where a cursor is good. */
interface CursorPlace {
  /** A cursor of one list is none of another. */
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
