/** The service as a function: one request to one answer, in the order of refusal that the contract fixes. Within a transaction of the store. */
import { endpoint } from '../../contract/endpoints.js';
import { answerControl, CONTROL_PATH } from '../control/control.js';
import { bringUpTo } from '../engine/record.js';
import { sandboxTime, type World } from '../engine/world.js';
import type { BankVerdict } from '../machine/types.js';
import {
  datedAnswer,
  jsonAnswer,
  refusalAnswer,
  type SandboxAnswer,
  type SandboxRequest,
} from '../message.js';
import type { Armed } from '../store/faults.js';
import { authorize, checkHost, checkOrigin } from './access.js';
import { findRoute, HANDLERS, type Route } from './endpoints.js';
import { answerInstead, meetFault, spoil } from './faults.js';

/** Every answer has the time of the sandbox as its `Date`. */
export function answerRequest(world: World, request: SandboxRequest): SandboxAnswer {
  const answer = answerUndated(world, request);
  return 'Date' in answer.headers ? answer : datedAnswer(answer, sandboxTime(world));
}

/** Host, then route, then faults, then who asks and whether they may; everything else is the endpoint's. */
function answerUndated(world: World, request: SandboxRequest): SandboxAnswer {
  const refused = checkHost(request);
  if (refused !== null) return refusalAnswer(refused);
  const mark = request.target.indexOf('?');
  const path = mark === -1 ? request.target : request.target.slice(0, mark);
  const query = mark === -1 ? '' : request.target.slice(mark + 1);
  if (path.startsWith(CONTROL_PATH)) {
    const foreign = checkOrigin(request);
    return foreign === null ? answerControl(world, request, path) : refusalAnswer(foreign);
  }
  const route = findRoute(request.method, path);
  if ('refusal' in route) return refusalAnswer(route);
  const armed = meetFault(world.store.faults, route.endpoint);
  if (armed === null) return carryOut(world, request, { ...route, query }, null);
  return (
    answerInstead(armed.fault, route.endpoint) ??
    spoil(carryOut(world, request, { ...route, query }, armed), armed, route.endpoint)
  );
}

function carryOut(
  world: World,
  request: SandboxRequest,
  { query, ...route }: Route & { readonly query: string },
  armed: Armed | null,
): SandboxAnswer {
  const bearer = authorize(world.store.companies, request, route.environment, route.endpoint);
  if ('refusal' in bearer) return refusalAnswer(bearer);
  const nowMs = sandboxTime(world);
  bringUpTo(world, nowMs);
  const { company, createdBy } = bearer;
  const takeVerdict = (): BankVerdict | null => takeOutcome(world, armed);
  const result = HANDLERS[route.endpoint]({
    world,
    request,
    company,
    createdBy,
    nowMs,
    id: route.id,
    query,
    takeVerdict,
  });
  const answer =
    typeof result === 'string' ? jsonAnswer(endpoint(route.endpoint).success, result) : refusalAnswer(result);
  // A client counts down by it (0009), so it is the very moment that the answer speaks of.
  return datedAnswer(answer, nowMs);
}

function takeOutcome({ store }: World, armed: Armed | null): BankVerdict | null {
  if (armed?.fault.kind !== 'outcome') return null;
  store.faults.spend(armed);
  const { code, reason } = armed.fault;
  return { status: 'failed', code, reason };
}
