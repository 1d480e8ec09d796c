/** The sandbox as a whole: how much is in it, and emptying it. */
import { isoSeconds } from '../../runtime/clock.js';
import { nothing } from './bodies.js';
import { readBody, type ControlHandler } from './call.js';

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
  call.world.store.reset(call.world.readyKey);
  return JSON.stringify({ reset: true });
};
