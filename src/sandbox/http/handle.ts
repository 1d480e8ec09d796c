/** The service as a function from request to answer. Refusals have the order that the contract fixes. Runs inside a transaction of the store. */
import { endpoint, type EndpointId } from '../../contract/endpoints.js';
import { answerControl, CONTROL_PATH } from '../control/control.js';
import { applyDueChanges, sandboxTime, type World } from '../engine/world.js';
import type { PlannedVerdict } from '../machine/operation.js';
import {
  datedAnswer,
  type HttpRefusal,
  jsonAnswer,
  refusalAnswer,
  type SandboxAnswer,
  type SandboxRequest,
  reasonOf,
} from '../message.js';
import type { RequestNote } from '../log/request-log.js';
import type { Armed, Fault } from '../store/faults.js';
import type { Store } from '../store/store.js';
import { isUuid } from '../../contract/notation.js';
import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { authorize, checkHost, checkSite } from './access.js';
import { findRoute, HANDLERS, type Route } from './endpoints.js';
import { ERROR_CODES, ERRORS } from '../../contract/errors.js';

/** Every answer has the time of the sandbox as its `Date`. @param note what the log is to know of it */
export function answerRequest(world: World, request: SandboxRequest, note: RequestNote): SandboxAnswer {
  const answer = answerUndated(world, request, note);
  return 'Date' in answer.headers ? answer : datedAnswer(answer, sandboxTime(world));
}

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Host, then whose page asks, then route, then faults, then who asks and whether they may; everything else is the endpoint's. */
function answerUndated(world: World, request: SandboxRequest, note: RequestNote): SandboxAnswer {
  const refused = checkHost(request);
  if (refused !== null) return refuse(note, refused);
  const mark = request.target.indexOf('?');
  const [path, query] =
    mark === -1 ? [request.target, ''] : [request.target.slice(0, mark), request.target.slice(mark + 1)];
  const isControl = path.startsWith(CONTROL_PATH);
  // Control takes no key, so where a request comes from decides: a page of another site may ask a browser for no change.
  const foreign = isControl && SAFE_METHODS.includes(request.method) ? null : checkSite(request);
  if (foreign !== null) return refuse(note, foreign);
  if (isControl) return answerControl(world, request, { path, query });
  const route = findRoute(request.method, path);
  if ('refusal' in route) return refuse(note, route);
  note.endpoint = route.endpoint;
  if (isUuid(route.id)) note.operation = route.id.toLowerCase();
  const armed = meetFault(world, request, route);
  note.fault = armed?.fault.kind ?? null;
  const call = { world, request, note, route: { ...route, query }, armed };
  if (armed === null) return carryOut(call);
  return answerInstead(armed.fault, route.endpoint) ?? spoil(carryOut(call), armed, route.endpoint);
}

const CREATES: readonly EndpointId[] = ['payins.create', 'payouts.create'];

/** The deliveries that a new operation brought, where a `before-answer` waits for such; it is spent by that. */
function takeDeliveredFirst(world: World, endpointId: EndpointId, note: RequestNote): readonly string[] {
  const { operation, replayed } = note;
  if (!CREATES.includes(endpointId) || operation === null || replayed) return [];
  const { faults, operationList } = world.store;
  const armed = faults
    .ofDeliveries(note.atMs ?? sandboxTime(world))
    .find(({ delivery }) => delivery === 'before-answer');
  const row = armed === undefined ? undefined : operationList.rowOf(operation);
  if (armed === undefined || row === undefined) return [];
  const ids = operationList.eventsOf(row).flatMap(({ id }) => operationList.deliveriesOf(id));
  if (ids.length > 0) faults.spend(armed);
  return ids;
}

function refuse(note: RequestNote, refusal: HttpRefusal): SandboxAnswer {
  note.refused = refusal.why ?? reasonOf(refusal);
  return refusalAnswer(refusal);
}

interface Carried {
  readonly world: World;
  readonly request: SandboxRequest;
  readonly note: RequestNote;
  readonly route: Route & { readonly query: string };
  readonly armed: Armed | null;
}

function carryOut({ world, request, note, route, armed }: Carried): SandboxAnswer {
  const bearer = authorize(world.store.companies, request, route.environment, route.endpoint);
  if ('refusal' in bearer) return refuse(note, bearer);
  const nowMs = sandboxTime(world);
  applyDueChanges(world, nowMs);
  const { company, createdBy } = bearer;
  note.company = company.name;
  note.atMs = nowMs;
  const takeVerdict = (): PlannedVerdict | null => {
    if (armed?.fault.kind !== 'outcome') return null;
    const { fault } = armed;
    world.store.faults.spend(armed);
    return 'pending' in fault
      ? { status: 'pending' }
      : { status: 'failed', code: fault.code, reason: fault.reason };
  };
  const { id, query } = route;
  const call = { world, request, note, company, createdBy, nowMs, id, query, takeVerdict };
  const result = HANDLERS[route.endpoint](call);
  const answer =
    typeof result === 'string' ? jsonAnswer(endpoint(route.endpoint).success, result) : refuse(note, result);
  // A client counts down by it (0009), so it is the very moment that the answer speaks of.
  const dated = datedAnswer(answer, nowMs);
  const deliveredFirst = typeof result === 'string' ? takeDeliveredFirst(world, route.endpoint, note) : [];
  if (deliveredFirst.length === 0) return dated;
  note.fault ??= 'before-answer';
  return { ...dated, deliveredFirst };
}

/** The endpoints that ask the bank; an `outcome` waits for one of them, whatever else is called meanwhile. */
const ASKING_THE_BANK: readonly EndpointId[] = ['payins.create', 'payins.confirm', 'payouts.create'];

/**
 * The fault that this request meets, spent; an `outcome` is spent by the bank's answer only. Null for none. Every fault that lets
 * requests pass first counts this one, whichever it meets.
 */
function meetFault({ store }: World, request: SandboxRequest, { endpoint: route, id }: Route): Armed | null {
  const waiting = store.faults
    .of(route)
    .filter(({ fault }) => fault.kind !== 'outcome' || ASKING_THE_BANK.includes(route));
  const references = waiting.some(({ match }) => match !== null) ? referencesOf(store, request, id) : [];
  const matching = waiting.filter(({ match }) => match === null || references.includes(match));
  for (const armed of matching) if (armed.skip > 0) store.faults.pass(armed);
  const met = matching.find(({ skip }) => skip === 0);
  if (met === undefined) return null;
  if (met.fault.kind !== 'outcome') store.faults.spend(met);
  return met;
}

/** That of the body, and that of the operation that the path names. */
function referencesOf(store: Store, { body }: SandboxRequest, id: string): readonly unknown[] {
  const sent = jsonIn(body);
  const named = isUuid(id) ? store.operations.findAnywhere(id.toLowerCase()) : undefined;
  return [isObject(sent) ? sent['reference'] : undefined, named?.record().operation.reference];
}

/** The whole answer, where the request is not carried out at all; else null. */
function answerInstead(fault: Fault, route: EndpointId): SandboxAnswer | null {
  if (fault.kind === 'drop-before') {
    return {
      ...refusalAnswer({ refusal: 'temporarily_unavailable' }),
      interference: { kind: 'drop-before' },
    };
  }
  return fault.kind === 'status' && fault.after !== true ? statusAnswer(fault, route) : null;
}

function statusAnswer(
  { status, retryAfter }: Extract<Fault, { kind: 'status' }>,
  route: EndpointId,
): SandboxAnswer {
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  if (status === 502 || status === 504) {
    // A gateway that has no answer of the service sends a page of its own, without the envelope.
    const text = status === 502 ? '502 Bad Gateway' : '504 Gateway Time-out';
    const html = `<html>\r\n<head><title>${text}</title></head>\r\n<body>\r\n<center><h1>${text}</h1></center>\r\n</body>\r\n</html>\r\n`;
    return { ...jsonAnswer(status, html), headers: { ...headers, 'Content-Type': 'text/html' } };
  }
  if (status === 500) return refusalAnswer({ refusal: 'internal', headers });
  // The code of that status that the endpoint knows, else any of that status.
  const codes = ERROR_CODES.filter((code) => ERRORS[code].status === status);
  const own = codes.find((code) => endpoint(route).errors.includes(code));
  return refusalAnswer({ refusal: own ?? codes[0] ?? 'temporarily_unavailable', status, headers });
}

/** The answer of a request that was carried out, as the fault lets it through. */
function spoil(answer: SandboxAnswer, { fault, remaining }: Armed, route: EndpointId): SandboxAnswer {
  switch (fault.kind) {
    case 'drop-after':
    case 'truncated':
    case 'silent':
      return { ...answer, interference: { kind: fault.kind } };
    case 'delay':
      return { ...answer, interference: { kind: 'delay', delayMs: fault.delayMs } };
    case 'garbage':
      return { ...answer, ...garbage(answer, remaining, route) };
    case 'status':
      return { ...answer, ...statusAnswer(fault, route) };
    default:
      return answer;
  }
}

function garbage({ body }: SandboxAnswer, remaining: number, route: EndpointId): SandboxAnswer {
  const { success } = endpoint(route);
  if (remaining % 2 === 0) return jsonAnswer(success, Buffer.from(body).toString('utf8').slice(0, 40));
  const html = '<!DOCTYPE html>\n<html><body><h1>It works!</h1></body></html>\n';
  return { ...jsonAnswer(success, html), headers: { 'Content-Type': 'text/html; charset=utf-8' } };
}
