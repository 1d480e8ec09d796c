import { eventText } from './event.js';

const PAGE = 200;
const DAYS_MS = 20 * 24 * 3_600_000;
const FIRST_MS = Date.parse('2026-09-01T00:00:00Z');
const ZERO = '00000000-0000-4000-8000-000000000000';
const REFERENCE = 'order-0000000';

const event = eventText({
  id: ZERO,
  operation: ZERO,
  reference: REFERENCE,
  occurredAt: '2026-09-01T00:00:00Z',
});
const [eventId, operationId] = [event.indexOf(ZERO), event.lastIndexOf(ZERO)];
const [reference, occurredAt] = [event.indexOf(REFERENCE), event.indexOf('2026-09-01')];
const head = '{"events":[';
const template = Buffer.from(head + Array.from({ length: PAGE }, () => event).join(','));

/** @param {URLSearchParams} query @param {number} total */
export function pageOf(query, total) {
  const from = Number(query.get('cursor') ?? 0);
  const count = Math.min(Number(query.get('limit') ?? 50), PAGE, total - from);
  const bytes = count === 0 ? Buffer.from(head) : page(from, count, total);
  return Buffer.concat([bytes, Buffer.from(`],"next_cursor":"${from + count}"}`)]);
}

/** @param {number} from @param {number} count @param {number} total */
function page(from, count, total) {
  const bytes = Buffer.from(template.subarray(0, head.length + count * (event.length + 1) - 1));
  for (let at = 0; at < count; at += 1) {
    const start = head.length + at * (event.length + 1);
    const index = from + at;
    const ms = FIRST_MS + Math.floor((index / total) * DAYS_MS);
    bytes.write(uuid(index, 77), start + eventId, 'latin1');
    bytes.write(new Date(ms).toISOString().slice(0, 19), start + occurredAt, 'latin1');
    bytes.write(uuid(index, 7), start + operationId, 'latin1');
    bytes.write(`order-${String(index).padStart(7, '0')}`, start + reference, 'latin1');
  }
  return bytes;
}

/** @param {number} index @param {number} seed */
function uuid(index, seed) {
  const [a, b, c, d] = [
    mixed(index, seed),
    mixed(index, seed + 1),
    mixed(index, seed + 2),
    mixed(index, seed + 3),
  ];
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-8${c.slice(1, 4)}-${c.slice(4)}${d}`;
}

/** @param {number} index @param {number} seed */
function mixed(index, seed) {
  let x = Math.imul(index + seed, 0x9e3779b1) ^ seed;
  x = Math.imul(x ^ (x >>> 15), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return ((x ^ (x >>> 16)) >>> 0).toString(16).padStart(8, '0');
}
