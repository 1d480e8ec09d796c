/** The control of the sandbox, outside the contract and without a key: its clock, payments, keys, deliveries and faults. */
import { bringUpTo } from '../engine/record.js';
import { sandboxTime, type World } from '../engine/world.js';
import {
  type HttpRefusal,
  jsonAnswer,
  refusalAnswer,
  type SandboxAnswer,
  type SandboxRequest,
} from '../message.js';
import { methodNotAllowed } from '../http/endpoints.js';
import type { ControlHandler } from './call.js';
import { listsDeliveries, pings, resendsDelivery } from './deliveries.js';
import { armsFault } from './faults.js';
import { makesKey, movesClock, readsClock, resets, showsStatus } from './whole.js';
import { receivesPayment } from './payments.js';

export const CONTROL_PATH = '/_control/';

/** What stands after `/_control/`; `{id}` is any one segment. */
const ROUTES: Readonly<Record<string, Readonly<Record<string, ControlHandler>>>> = {
  clock: { GET: readsClock, POST: movesClock },
  payments: { POST: receivesPayment },
  keys: { POST: makesKey },
  ping: { POST: pings },
  deliveries: { GET: listsDeliveries },
  'deliveries/{id}/resend': { POST: resendsDelivery },
  faults: { POST: armsFault },
  reset: { POST: resets },
  status: { GET: showsStatus },
};

/** Answers a request whose path begins with `/_control/`. */
export function answerControl(world: World, request: SandboxRequest, path: string): SandboxAnswer {
  const found = findHandler(request.method, path.slice(CONTROL_PATH.length));
  if ('refusal' in found) return refusalAnswer(found);
  const nowMs = sandboxTime(world);
  bringUpTo(world, nowMs);
  const result = found.handler({ world, body: request.body, nowMs, id: found.id });
  return typeof result === 'string' ? jsonAnswer(200, result) : refusalAnswer(result);
}

function findHandler(method: string, path: string): { handler: ControlHandler; id: string } | HttpRefusal {
  const [, id = ''] = /^[^/]+\/([^/]+)\/[^/]+$/.exec(path) ?? [];
  const name = id === '' ? path : path.replace(`/${id}/`, '/{id}/');
  const byMethod = Object.hasOwn(ROUTES, name) ? ROUTES[name] : undefined;
  if (byMethod === undefined) return { refusal: 'route_not_found' };
  const handler = Object.hasOwn(byMethod, method) ? byMethod[method] : undefined;
  return handler === undefined ? methodNotAllowed(Object.keys(byMethod)) : { handler, id };
}
