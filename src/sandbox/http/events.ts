/** Answers a page of the company's events, in order, with the cursor to go on from (section 6). */
import { LIMITS } from '../../contract/limits.js';
import type { Detail } from '../../contract/errors.js';
import type { EndpointHandler } from './call.js';
import { readLimit, readQuery, sealCursor, unsealCursor } from './query.js';

const DEFAULT_LIMIT = 50;
/** A page stays under 1 MiB, its wrapper and cursor included. */
const PAGE_MAX_BYTES = 1024 * 1024 - 1024;

export const listsEvents: EndpointHandler = ({ world, company, query }) => {
  const values = readQuery(query, ['cursor', 'limit']);
  if ('refusal' in values) return values;
  const limit = readLimit(values.limit, DEFAULT_LIMIT, LIMITS.eventsPageMin, LIMITS.eventsPageMax);
  const after = values.cursor === undefined ? 0 : unsealCursor(world.cursorSecret, company, values.cursor);
  const details: Detail[] = [];
  if (after === null) details.push({ field: 'cursor', code: 'invalid' });
  if (limit === null) details.push({ field: 'limit', code: 'invalid' });
  if (after === null || limit === null) return { refusal: 'field_invalid', details };
  const page: string[] = [];
  let last = after;
  let bytes = 0;
  for (const { sequence, json } of world.store.feed.after(company, after, limit)) {
    bytes += Buffer.byteLength(json) + 1;
    if (bytes > PAGE_MAX_BYTES) break;
    page.push(json);
    last = sequence;
  }
  const cursor = page.length === 0 ? values.cursor : sealCursor(world.cursorSecret, company, last);
  return `{"events":[${page.join(',')}],"next_cursor":${JSON.stringify(cursor ?? null)}}`;
};
