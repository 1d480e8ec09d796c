import { endpoint, type EndpointId } from '../../contract/endpoints.js';
import { answerControl, CONTROL_PATH } from '../control/control.js';
import { applyDueChanges, sandboxTime, type World } from '../engine/world.js';
import type { PlannedVerdict } from '../machine/operation.js';
import { datedAnswer, jsonAnswer, refusalAnswer, reasonOf } from '../message.js';
import type { HttpRefusal, SandboxAnswer, SandboxRequest } from '../message.js';
import type { RequestNote } from '../log/request-log.js';
import type { ArmedFault, Fault } from '../store/faults.js';
import { isUuid } from '../../contract/notation.js';
import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { authorize, checkHost, checkSite } from './access.js';
import { findRoute, HANDLERS, type Route } from './endpoints.js';
import { ERROR_CODES, ERRORS } from '../../contract/errors.js';

export function answerRequest(world: World, request: SandboxRequest, note: RequestNote): SandboxAnswer {
  const answer = routeRequest(world, request, note);
  return 'Date' in answer.headers ? answer : datedAnswer(answer, sandboxTime(world));
}

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

function routeRequest(world: World, request: SandboxRequest, note: RequestNote): SandboxAnswer {
  const hostRefusal = checkHost(request);
  if (hostRefusal !== null) return refuse(note, hostRefusal);
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(request.target) ?? [];
  const isControl = path.startsWith(CONTROL_PATH);
  // A page of another site may send only safe control requests, because every other request can change something.
  const siteRefusal = isControl && SAFE_METHODS.includes(request.method) ? null : checkSite(request);
  if (siteRefusal !== null) return refuse(note, siteRefusal);
  if (isControl) return answerControl(world, request, { path, query });
  const route = findRoute(request.method, path);
  if ('refusal' in route) return refuse(note, route);
  note.endpoint = route.endpoint;
  if (isUuid(route.id)) note.operation = route.id.toLowerCase();
  const armedFault = takeFault(world, request, route);
  note.fault = armedFault?.fault.kind ?? null;
  const fault = armedFault?.fault;
  if (fault?.kind === 'drop-before')
    return { ...refusalAnswer({ refusal: 'temporarily_unavailable' }), interference: { kind: fault.kind } };
  if (fault?.kind === 'status' && fault.after !== true) return statusAnswer(fault, route.endpoint);
  const answer = carryOut(world, request, note, { ...route, query }, armedFault);
  return armedFault === null ? answer : spoilAnswer(answer, armedFault, route.endpoint);
}

const CREATE_ENDPOINTS: readonly EndpointId[] = ['payins.create', 'payouts.create'];

function takeDeliveryIds(world: World, endpointId: EndpointId, note: RequestNote): readonly string[] {
  const { operation, isReplayed } = note;
  if (!CREATE_ENDPOINTS.includes(endpointId) || operation === null || isReplayed) return [];
  const { faults, operations } = world.store;
  const armedFault = faults
    .ofDeliveries(note.atMs ?? sandboxTime(world))
    .find(({ delivery }) => delivery === 'before-answer');
  const row = armedFault === undefined ? undefined : operations.rowOf(operation);
  if (armedFault === undefined || row === undefined) return [];
  const ids = operations.eventsOf(row).flatMap(({ id }) => operations.deliveriesOf(id));
  if (ids.length > 0) faults.useUp(armedFault);
  return ids;
}

function refuse(note: RequestNote, refusal: HttpRefusal): SandboxAnswer {
  note.refusalText = refusal.why ?? reasonOf(refusal);
  return refusalAnswer(refusal);
}

function carryOut(
  world: World,
  request: SandboxRequest,
  note: RequestNote,
  route: Route & { readonly query: string },
  armedFault: ArmedFault | null,
): SandboxAnswer {
  const bearer = authorize(world.store.companies, request, route.environment, route.endpoint);
  if ('refusal' in bearer) return refuse(note, bearer);
  const nowMs = sandboxTime(world);
  applyDueChanges(world, nowMs);
  const { company, createdBy } = bearer;
  note.company = company.name;
  note.atMs = nowMs;
  const takeVerdict = (): PlannedVerdict | null => {
    if (armedFault?.fault.kind !== 'outcome') return null;
    const { fault } = armedFault;
    world.store.faults.useUp(armedFault);
    return 'pending' in fault
      ? { status: 'pending' }
      : { status: 'failed', code: fault.code, reason: fault.reason };
  };
  const { id, query } = route;
  const call = { world, request, note, company, createdBy, nowMs, id, query, takeVerdict };
  const result = HANDLERS[route.endpoint](call);
  const answer =
    typeof result === 'string' ? jsonAnswer(endpoint(route.endpoint).success, result) : refuse(note, result);
  // `Date` is the time of the change, because clients count the validity of a code from it.
  const finalAnswer = datedAnswer(answer, nowMs);
  const deliveryIds = typeof result === 'string' ? takeDeliveryIds(world, route.endpoint, note) : [];
  if (deliveryIds.length === 0) return finalAnswer;
  note.fault ??= 'before-answer';
  return { ...finalAnswer, deliveryIds };
}

const BANK_ENDPOINTS: readonly EndpointId[] = ['payins.create', 'payins.confirm', 'payouts.create'];

function takeFault({ store }: World, request: SandboxRequest, { endpoint: endpointId, id }: Route) {
  const candidates = store.faults
    .ofRoute(endpointId)
    .filter(({ fault }) => fault.kind !== 'outcome' || BANK_ENDPOINTS.includes(endpointId));
  const references: unknown[] = [];
  if (candidates.some(({ match }) => match !== null)) {
    const fields = jsonIn(request.body);
    const operation = isUuid(id) ? store.operations.find(id.toLowerCase()) : undefined;
    references.push(isObject(fields) && fields['reference'], operation?.record().operation.reference);
  }
  const matchingFaults = candidates.filter(({ match }) => match === null || references.includes(match));
  for (const armedFault of matchingFaults) if (armedFault.skip > 0) store.faults.countSkipped(armedFault);
  const readyFault = matchingFaults.find(({ skip }) => skip === 0);
  if (readyFault === undefined) return null;
  if (readyFault.fault.kind !== 'outcome') store.faults.useUp(readyFault);
  return readyFault;
}

function statusAnswer({ status, retryAfter }: Extract<Fault, { kind: 'status' }>, endpointId: EndpointId) {
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  if (status === 502 || status === 504) {
    const text = status === 502 ? '502 Bad Gateway' : '504 Gateway Time-out';
    const html = `<html>\r\n<head><title>${text}</title></head>\r\n<body>\r\n<center><h1>${text}</h1></center>\r\n</body>\r\n</html>\r\n`;
    return { ...jsonAnswer(status, html), headers: { ...headers, 'Content-Type': 'text/html' } };
  }
  if (status === 500) return refusalAnswer({ refusal: 'internal', headers });
  const codes = ERROR_CODES.filter((code) => ERRORS[code].status === status);
  const ownCode = codes.find((code) => endpoint(endpointId).errors.includes(code));
  return refusalAnswer({ refusal: ownCode ?? codes[0] ?? 'temporarily_unavailable', status, headers });
}

function spoilAnswer(answer: SandboxAnswer, armedFault: ArmedFault, endpointId: EndpointId): SandboxAnswer {
  const { fault, remaining } = armedFault;
  switch (fault.kind) {
    case 'drop-after':
    case 'truncated':
    case 'silent':
      return { ...answer, interference: { kind: fault.kind } };
    case 'delay':
      return { ...answer, interference: { kind: 'delay', delayMs: fault.delayMs } };
    case 'garbage': {
      const { success } = endpoint(endpointId);
      const start = Buffer.from(answer.body).toString('utf8').slice(0, 40);
      if (remaining % 2 === 0) return { ...answer, ...jsonAnswer(success, start) };
      const page = jsonAnswer(success, '<!DOCTYPE html>\n<html><body><h1>It works!</h1></body></html>\n');
      return { ...answer, ...page, headers: { 'Content-Type': 'text/html; charset=utf-8' } };
    }
    case 'status':
      return { ...answer, ...statusAnswer(fault, endpointId) };
    default:
      return answer;
  }
}
