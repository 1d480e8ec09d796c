/** Reads sandbox time, and moves it forward: everything that the time between would have brought has happened when it answers. */
import { isoSeconds } from '../../runtime/clock.js';
import { bringUpTo } from '../engine/passing.js';
import { clockChange } from './bodies.js';
import { invalid, readBody, type ControlHandler } from './call.js';

/** The last moment that four digits of a year can tell. */
const END_OF_TIME_MS = Date.UTC(9999, 11, 31);

export const readsClock: ControlHandler = ({ nowMs }) => JSON.stringify({ now: isoSeconds(nowMs) });

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
