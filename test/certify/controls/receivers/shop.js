import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * @typedef {{
 *   now(): number,
 *   after(ms: number, work: () => void): void,
 *   pause(ms: number): Promise<void>,
 *   changed?: (id: string, state: string) => void,
 * }} ShopWorld
 */

/**
 * @typedef {{ readonly method: string, readonly headers: Readonly<Record<string, string | undefined>>, readonly body: Buffer }} ShopRequest
 */

/** @typedef {{ readonly id: string, readonly type: string, readonly data: { readonly id: string } }} ShopEvent */

export class ShopEnded extends Error {}

export const RIGHT_SHOPS = /** @type {const} */ ([
  'right',
  'queue',
  'orders',
  'once-per-operation',
  'in-steps',
  'parses-first',
  'headers-agree',
]);

/** Each broken shop, and the cases that it must fail. */
export const BROKEN_SHOPS = /** @type {const} */ ({
  'accepts-all': ['forged.secret'],
  'acts-before-verifying': ['forged.secret'],
  'unsigned-is-fine': ['forged.none'],
  'secret-may-be-empty': ['forged.key-is-empty'],
  reserialised: ['bytes.spaces'],
  latin1: ['bytes.unicode'],
  crashes: ['forged.answered-4xx'],
  'one-signature': ['rotation.first'],
  prefix: ['forged.prefix'],
  'type-of-header': ['forged.header-type'],
  'id-of-header': ['forged.header-id'],
  sorted: ['good.payin.confirmed'],
  spaced: ['good.payin.confirmed'],
  'csrf-guard': ['good.payin.confirmed'],
  'no-time': ['time.old-310'],
  'no-future': ['time.ahead-310'],
  'nan-time': ['time.malformed'],
  'too-strict': ['time.old-290'],
  'strict-members': ['unknown.members'],
  'unknown-400': ['unknown.type'],
  'ping-effect': ['ping'],
  'orders-404': ['unknown.operation'],
  slow: ['load.20'],
  'queue-twice': ['twice.row'],
  'memory-first': ['twice.cut'],
  'no-dedupe': ['twice.row'],
  race: ['twice.at-once'],
  'steps-again': ['twice.row'],
  dies: ['alive.nojson'],
  redirect: ['good.payin.confirmed'],
  'does-nothing': ['good.payin.confirmed'],
});

/** @typedef {(typeof RIGHT_SHOPS)[number] | keyof typeof BROKEN_SHOPS} ShopMode */

const KNOWN_TYPES = /^(?:payin|payout)\.(?:confirmed|failed)$|^test\.ping$/;
const SIGNATURE = /^v1=[0-9a-f]{64}$/i;
const STAMP = /^\d{1,12}$/;

/** @param {ShopMode} mode @param {string} secret @param {ShopRequest} request @param {number} nowMs */
function isAuthentic(mode, secret, { headers, body }, nowMs) {
  if (mode === 'accepts-all') return true;
  const header = headers['x-firma'];
  if (mode === 'unsigned-is-fine' && header === undefined) return true;
  const timestamp = headers['x-timestamp'] ?? '';
  const digests = digestsOf(mode, secret, timestamp, body);
  if (!digests.some((digest) => claims(mode, header, digest))) return false;
  const age = Math.floor(nowMs / 1000) - Number(timestamp);
  if (mode === 'no-time') return true;
  if (mode === 'no-future') return age <= 300;
  if (mode === 'nan-time') return !(Math.abs(age) > 300);
  return STAMP.test(timestamp) && Math.abs(age) <= (mode === 'too-strict' ? 60 : 300);
}

/** @param {ShopMode} mode @param {Buffer} body */
function asRead(mode, body) {
  if (mode === 'latin1') return Buffer.from(body.toString('latin1'), 'utf8');
  if (mode === 'reserialised') return Buffer.from(JSON.stringify(JSON.parse(body.toString())));
  if (mode === 'sorted') return Buffer.from(JSON.stringify(inOrder(JSON.parse(body.toString()))));
  if (mode === 'spaced') return Buffer.from(body.toString().replace(/([,:])(?=["{[])/g, '$1 '));
  return body;
}

/** @param {unknown} value @returns {unknown} */
function inOrder(value) {
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, inner]) => [name, inOrder(inner)]);
  return Object.fromEntries(members.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)));
}

/** @param {ShopMode} mode @param {string} secret @param {string} timestamp @param {Buffer} body */
function digestsOf(mode, secret, timestamp, body) {
  const signed = asRead(mode, body);
  const keys = mode === 'secret-may-be-empty' ? [secret, ''] : [secret];
  return keys.map((key) => createHmac('sha256', key).update(`${timestamp}.`).update(signed).digest());
}

/** @param {ShopMode} mode @param {string | undefined} header @param {Buffer} digest */
function claims(mode, header, digest) {
  const hex = digest.toString('hex');
  if (mode === 'one-signature') return header === `v1=${hex}`;
  const tokens = (header ?? '').split(' ');
  if (mode === 'prefix') return tokens.some((token) => token.length > 3 && `v1=${hex}`.startsWith(token));
  // timingSafeEqual throws if the lengths differ, and this shop does not catch that.
  if (mode === 'crashes')
    return tokens.some((token) => timingSafeEqual(Buffer.from(token.slice(3), 'hex'), digest));
  const claimed = tokens.filter((token) => SIGNATURE.test(token)).slice(0, 8);
  return claimed.some((token) => timingSafeEqual(Buffer.from(token.slice(3), 'hex'), digest));
}

/** @param {Buffer} body @returns {ShopEvent} */
function eventIn(body) {
  const value = /** @type {unknown} */ (JSON.parse(body.toString()));
  return /** @type {ShopEvent} */ (value);
}

/** @param {ShopMode} mode @param {ShopRequest} request */
function takenFrom(mode, { headers, body }) {
  const event = eventIn(body);
  const [type = '', id = ''] = [headers['x-evento'], headers['x-id-evento']];
  if (mode === 'headers-agree' && (type !== event.type || id !== event.id)) return null;
  if (mode === 'type-of-header') return { ...event, type };
  return mode === 'id-of-header' ? { ...event, id } : event;
}

/** @param {ShopMode} mode @param {string} secret @param {ShopWorld} world */
export function openShop(mode, secret, world) {
  /** @type {Set<string>} */
  const handled = new Set();
  /** @type {Map<string, number>} */
  const shipped = new Map();
  /** @type {Map<string, string>} */
  const states = new Map();
  /** @type {Set<string>} */
  const orders = new Set();
  let line = Promise.resolve();
  const hasSteps = mode === 'in-steps' || mode === 'steps-again';
  const needsOrder = mode === 'orders' || mode === 'orders-404';

  /** @param {string} id */
  const stateOf = (id) => (hasSteps ? (states.get(id) ?? 'new') : `shipped ${String(shipped.get(id) ?? 0)}`);

  /** @param {string} id @param {string} state */
  const setState = (id, state) => {
    states.set(id, state);
    world.changed?.(id, state);
  };

  /** @param {ShopEvent} event */
  const ship = ({ data: { id } }) => {
    if (needsOrder && !orders.has(id)) return;
    shipped.set(id, (shipped.get(id) ?? 0) + 1);
    world.changed?.(id, stateOf(id));
  };

  /** @param {string} id */
  const pack = (id) => {
    const before = (states.get(id) ?? '').endsWith('shipped') ? `${states.get(id) ?? ''} ` : '';
    setState(id, `${before}packing`);
    world.after(120, () => setState(id, `${before}shipped`));
  };

  /** @param {ShopEvent} event @param {() => boolean} isCut */
  const handle = async (event, isCut) => {
    switch (mode) {
      case 'does-nothing':
        return 200;
      case 'no-dedupe':
        ship(event);
        return 200;
      case 'queue-twice':
        world.after(400, () => ship(event));
        return 202;
      case 'steps-again':
        pack(event.data.id);
        return 200;
      case 'race':
        if (handled.has(event.id)) return 200;
        await world.pause(30);
        break;
      case 'slow':
        line = line.then(() => world.pause(800));
        await line;
        break;
      default:
        break;
    }
    const key = mode === 'once-per-operation' ? event.data.id : event.id;
    if (mode !== 'race' && handled.has(key)) return 200;
    handled.add(key);
    if (mode === 'memory-first') {
      // Longer than a busy machine needs to notice a cut.
      await world.pause(150);
      if (isCut()) return 500;
    }
    if (mode === 'queue') world.after(400, () => ship(event));
    else if (hasSteps) pack(event.data.id);
    else ship(event);
    return mode === 'queue' ? 202 : 200;
  };

  return {
    /** @param {ShopRequest} request @param {() => boolean} isCut */
    take: async (request, isCut) => {
      if (mode === 'redirect') return 308;
      if (request.method !== 'POST') return 405;
      if (mode === 'csrf-guard') return 403;
      try {
        if (mode === 'parses-first') JSON.parse(request.body.toString());
        if (!isAuthentic(mode, secret, request, world.now())) {
          if (mode === 'acts-before-verifying') ship(eventIn(request.body));
          return 401;
        }
        const event = takenFrom(mode, request);
        if (event === null) return 400;
        if (mode === 'strict-members' && Object.keys(event).length !== 4) return 400;
        if (!KNOWN_TYPES.test(event.type)) return mode === 'unknown-400' ? 400 : 200;
        if (event.type === 'test.ping' && mode !== 'ping-effect') return 200;
        if (mode === 'orders-404' && !orders.has(event.data.id)) return 404;
        return await handle(event, isCut);
      } catch {
        if (mode === 'dies') throw new ShopEnded();
        return mode === 'crashes' ? 500 : 400;
      }
    },
    state: stateOf,
    /** @param {string} id */
    order: (id) => void orders.add(id),
  };
}
