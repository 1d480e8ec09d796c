/** The sandbox as a whole: its clock, how much is in it, emptying it, and keys for whoever shall call it. */
import { ENVIRONMENTS, KEY_PREFIX, SCOPES } from '../../contract/access.js';
import { CREATORS } from '../../contract/operation.js';
import { list, number, object, oneOf, optional, textLike } from '../../contract/shape.js';
import { isoSeconds } from '../../runtime/clock.js';
import { bringUpTo } from '../engine/record.js';
import { nextDue } from './due.js';
import { type ControlHandler, invalid, nothing, readBody } from './call.js';

export const showsStatus: ControlHandler = ({ world, nowMs }) =>
  JSON.stringify({
    now: isoSeconds(nowMs),
    code: world.code,
    ...world.store.counts(),
  });

/** Everything but the ready key, the position of its clock included. */
export const resets: ControlHandler = (call) => {
  const body = readBody(call, nothing);
  if ('refusal' in body) return body;
  call.world.log.clear();
  call.world.store.reset(call.world.readyKey);
  return JSON.stringify({ reset: true });
};

/** The last moment that four digits of a year can tell. */
const END_OF_TIME_MS = Date.UTC(9999, 11, 31);

/** Forward only: what has happened has happened. */
const clockChange = object({ advance_seconds: number(0) });

export const readsClock: ControlHandler = ({ world, nowMs }) =>
  JSON.stringify({ now: isoSeconds(nowMs), next_due: nextDue(world) });

/** Everything that the time between would have brought has happened when it answers. */
export const movesClock: ControlHandler = (call) => {
  const body = readBody(call, clockChange);
  if ('refusal' in body) return body;
  const { world, nowMs } = call;
  const { settings } = world.store;
  const advanceMs = Math.round(body.value.advance_seconds * 1000);
  const thenMs = nowMs + advanceMs;
  if (thenMs > END_OF_TIME_MS) return invalid([{ field: 'advance_seconds', code: 'invalid' }]);
  settings.setClockOffsetMs(settings.clockOffsetMs() + advanceMs);
  settings.setMovedUntilMs(thenMs);
  bringUpTo(world, thenMs);
  return JSON.stringify({ now: isoSeconds(thenMs) });
};

/** The company of the ready key, and of every request that names none. */
export const DEFAULT_COMPANY = 'default';

/** Printable, so that it can stand in a list and in a message. */
export const companyName = textLike(/^[^\p{C}]{1,64}$/u);

const newKey = object({
  company: optional(companyName),
  scopes: optional(list(oneOf(SCOPES))),
  environment: optional(oneOf(ENVIRONMENTS)),
  created_by: optional(oneOf(CREATORS)),
});

/** Of any company, with any scopes, in either environment, for the company itself or an operator. */
export const makesKey: ControlHandler = (call) => {
  const body = readBody(call, newKey);
  if ('refusal' in body) return body;
  const {
    company = DEFAULT_COMPANY,
    scopes = SCOPES,
    environment = 'sandbox',
    created_by: createdBy,
  } = body.value;
  const { store, random } = call.world;
  const key = KEY_PREFIX[environment] + random.hex(24);
  store.companies.addKey(key, store.companies.ensure(environment, company), scopes, createdBy);
  return JSON.stringify({ api_key: key });
};
