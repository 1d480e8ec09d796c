/** The service as a function: one request to one answer, in the order of refusal that the contract fixes. Within a transaction of the store. */
import { endpoint } from '../../contract/endpoints.js';
import { answerControl, CONTROL_PATH } from '../control/control.js';
import { bringUpTo } from '../engine/record.js';
import { sandboxTime, type World } from '../engine/world.js';
import type { BankVerdict } from '../machine/types.js';
import {
  datedAnswer,
  type HttpRefusal,
  jsonAnswer,
  refusalAnswer,
  type SandboxAnswer,
  type SandboxRequest,
} from '../message.js';
import type { Note } from '../log/request-log.js';
import type { Armed } from '../store/faults.js';
import { isUuid } from '../../contract/notation.js';
import { reasonOf } from '../log/reasons.js';
import { authorize, checkHost, checkOrigin, checkSite } from './access.js';
import { findRoute, HANDLERS, type Route } from './endpoints.js';
import { answerInstead, meetFault, spoil } from './faults.js';

/** Every answer has the time of the sandbox as its `Date`. @param note what the log is to know of it */
export function answerRequest(world: World, request: SandboxRequest, note: Note): SandboxAnswer {
  const answer = answerUndated(world, request, note);
  return 'Date' in answer.headers ? answer : datedAnswer(answer, sandboxTime(world));
}

/** Host, then whose page asks, then route, then faults, then who asks and whether they may; everything else is the endpoint's. */
function answerUndated(world: World, request: SandboxRequest, note: Note): SandboxAnswer {
  const refused = checkHost(request);
  if (refused !== null) return refuse(note, refused);
  const { path, query } = splitTarget(request);
  const isControl = path.startsWith(CONTROL_PATH);
  const foreign = isControl ? checkOrigin(request) : checkSite(request);
  if (foreign !== null) return refuse(note, foreign);
  if (isControl) return answerControl(world, request, { path, query });
  const route = findRoute(request.method, path);
  if ('refusal' in route) return refuse(note, route);
  note.endpoint = route.endpoint;
  if (isUuid(route.id)) note.operation = route.id.toLowerCase();
  const armed = meetFault(world.store.faults, route.endpoint);
  note.fault = armed?.fault.kind ?? null;
  const call = { world, request, note, route: { ...route, query }, armed };
  if (armed === null) return carryOut(call);
  return answerInstead(armed.fault, route.endpoint) ?? spoil(carryOut(call), armed, route.endpoint);
}

/** Path and query as sent. */
function splitTarget({ target }: SandboxRequest): { readonly path: string; readonly query: string } {
  const mark = target.indexOf('?');
  if (mark === -1) return { path: target, query: '' };
  return { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

function refuse(note: Note, refusal: HttpRefusal): SandboxAnswer {
  note.refused = refusal.why ?? reasonOf(refusal);
  return refusalAnswer(refusal);
}

interface Carried {
  readonly world: World;
  readonly request: SandboxRequest;
  readonly note: Note;
  readonly route: Route & { readonly query: string };
  readonly armed: Armed | null;
}

function carryOut({ world, request, note, route, armed }: Carried): SandboxAnswer {
  const bearer = authorize(world.store.companies, request, route.environment, route.endpoint);
  if ('refusal' in bearer) return refuse(note, bearer);
  const nowMs = sandboxTime(world);
  bringUpTo(world, nowMs);
  const { company, createdBy } = bearer;
  note.company = company.name;
  note.atMs = nowMs;
  const takeVerdict = (): BankVerdict | null => takeOutcome(world, armed);
  const { id, query } = route;
  const call = { world, request, note, company, createdBy, nowMs, id, query, takeVerdict };
  const result = HANDLERS[route.endpoint](call);
  const answer =
    typeof result === 'string' ? jsonAnswer(endpoint(route.endpoint).success, result) : refuse(note, result);
  // A client counts down by it (0009), so it is the very moment that the answer speaks of.
  return datedAnswer(answer, nowMs);
}

function takeOutcome({ store }: World, armed: Armed | null): BankVerdict | null {
  if (armed?.fault.kind !== 'outcome') return null;
  store.faults.spend(armed);
  const { code, reason } = armed.fault;
  return { status: 'failed', code, reason };
}
