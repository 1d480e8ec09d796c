/** The read-only endpoints (contract sections 2.5, 4 and 6). */
import type { Balance } from '../../contract/catalog.js';
import { LIMITS } from '../../contract/limits.js';
import { COUNTRY_CODE } from '../../contract/notation.js';
import { DIRECTIONS } from '../../contract/operation.js';
import { fromMinor } from '../../contract/money.js';
import { banksOf, CAPABILITIES, DECIMALS, methodsOf } from '../catalog/catalog.js';
import type { Money, StoredCompany } from '../store/companies.js';
import { type EndpointHandler, invalidDetails, readQuery, type EndpointCall, readLimit } from './call.js';
import { createHmac, timingSafeEqual } from 'node:crypto';

const capabilitiesJson = JSON.stringify(CAPABILITIES);

export const listCapabilities = (): string => capabilitiesJson;

export const listMethods: EndpointHandler = ({ query }) => {
  const values = readQuery(query, ['country', 'direction']);
  if ('refusal' in values) return values;
  const { country, direction } = values;
  const knownDirection = DIRECTIONS.find((name) => name === direction);
  const details = invalidDetails({
    country: country !== undefined && !COUNTRY_CODE.test(country),
    direction: direction !== knownDirection,
  });
  if (details.length > 0) return { refusal: 'field_invalid', details };
  const methods = methodsOf({ country, direction: knownDirection });
  return 'refusal' in methods ? methods : JSON.stringify({ methods });
};

export const listBanks = ({ query }: Pick<EndpointCall, 'query'>): ReturnType<EndpointHandler> => {
  const values = readQuery(query, ['country', 'method']);
  if ('refusal' in values) return values;
  const { country, method } = values;
  if (country === undefined || country === '')
    return { refusal: 'field_required', details: [{ field: 'country', code: 'required' }] };
  const banks = banksOf(country, method);
  return 'refusal' in banks ? banks : JSON.stringify({ banks });
};

export const listBalances: EndpointHandler = ({ world, company }) =>
  JSON.stringify({ balances: balancesOf(world.store.money, company.id) });

export const balancesOf = (money: Money, company: number): Balance[] =>
  [...DECIMALS].map(([code, decimals]): Balance => {
    const { available, reserved } = money.funds(company, code);
    const textOf = (minor: bigint): string => fromMinor(minor, decimals);
    return { currency: code, available: textOf(available), reserved: textOf(reserved) };
  });

const PAGE_MAX_BYTES = 1024 * 1024 - 1024;
const PAGE_DEFAULT = 50;

export const listEvents: EndpointHandler = ({ world, company, query }) => {
  const values = readQuery(query, ['cursor', 'limit']);
  if ('refusal' in values) return values;
  const { cursor } = values;
  const { settings, feed } = world.store;
  const scope = { secret: settings.readFixed('cursor_secret'), company };
  const limit = readLimit(values.limit, PAGE_DEFAULT, LIMITS.eventsPageMin, LIMITS.eventsPageMax);
  const start = cursor === undefined ? 0 : unsealCursor(scope, cursor);
  const details = invalidDetails({ cursor: start === null, limit: limit === null });
  if (start === null || limit === null) return { refusal: 'field_invalid', details };
  const page: string[] = [];
  let lastPosition = start;
  let pageBytes = 0;
  for (const { position, json } of feed.after(company, start, limit)) {
    pageBytes += Buffer.byteLength(json) + 1;
    if (page.length > 0 && pageBytes > PAGE_MAX_BYTES) break;
    page.push(json);
    lastPosition = position;
  }
  const nextCursor = page.length === 0 ? (cursor ?? null) : sealCursor(scope, lastPosition);
  return `{"events":[${page.join(',')}],"next_cursor":${JSON.stringify(nextCursor)}}`;
};

interface CursorScope {
  readonly secret: string;
  readonly company: StoredCompany;
}

const POSITION_BYTES = 6;
const SEAL_BYTES = 15;
const CURSOR_FORM = /^[A-Za-z0-9_-]{28}$/;

export function sealCursor(scope: CursorScope, position: number): string {
  const bytes = Buffer.alloc(POSITION_BYTES);
  bytes.writeUIntBE(position, 0, POSITION_BYTES);
  return Buffer.concat([bytes, sealOf(scope, bytes)]).toString('base64url');
}

export function unsealCursor(scope: CursorScope, cursor: string): number | null {
  if (!CURSOR_FORM.test(cursor)) return null;
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(0, POSITION_BYTES);
  const isOurs = timingSafeEqual(bytes.subarray(POSITION_BYTES), sealOf(scope, position));
  return isOurs ? position.readUIntBE(0, POSITION_BYTES) : null;
}

/** The seal covers `company.name`, because a reset changes the id of a company. */
const sealOf = ({ secret, company }: CursorScope, position: Buffer): Buffer =>
  createHmac('sha256', secret)
    .update(`events\n${company.environment}\n${company.name}\n`)
    .update(position)
    .digest()
    .subarray(0, SEAL_BYTES);
