import { applyDueChanges, sandboxTime, type World } from '../engine/world.js';
import { jsonAnswer, answerWithReason, type SandboxAnswer, type SandboxRequest } from '../message.js';
import { methodRefusal, patternOf } from '../http/endpoints.js';
import { listBanks, listCapabilities } from '../http/lists.js';
import { environmentOf, environmentRefusal, fieldRefusal, pageOf, readPage } from './call.js';
import type { ControlHandler } from './call.js';
import { explainDelivery, listDeliveries, sendPing, resendDelivery, showDelivery } from './deliveries.js';
import { armFault, clearFaults, listFaults } from './faults.js';
import { listCompanies, makeKey, moveClock, readClock, showStatus } from './whole.js';
import { expireOperation, listOperations, settleOperation, showOperation } from './operations.js';
import { receivePayment } from './operations.js';
import { isoSeconds } from '../../runtime/clock.js';
import { exportState, importState, resetSandbox } from './state.js';
import { statusRange, type LogRow } from '../log/logged.js';
import type { RequestRow } from '../store/requests.js';

const ID_FORM = /^(?:0|[1-9][0-9]{0,14})$/;
const numberOf = (id: string): number | null => (ID_FORM.test(id) ? Number(id) : null);

const FILTER_NAMES = ['status', 'search', 'method', 'path', 'company', 'environment', 'operation'] as const;

const listRequests: ControlHandler = (call) => {
  const pageQuery = readPage(call, FILTER_NAMES, numberOf);
  if ('refusal' in pageQuery) return pageQuery;
  const { values, from, limit } = pageQuery;
  const range = values.status === undefined ? [null, null] : statusRange(values.status);
  if (range === undefined)
    return fieldRefusal(
      'status',
      'status must be a status such as 404, a kind of status such as 4xx, or cut.',
    );
  const environment = environmentOf(values.environment);
  if (environment === undefined) return environmentRefusal;
  const { log, store } = call.world;
  log.write();
  const [statusFrom = null, statusTo = null] = range;
  const { path = null, company = null, search = null } = values;
  const filter = {
    ...{ statusFrom, statusTo, path, company, environment, search },
    ...{ method: values.method?.toUpperCase() ?? null, operation: values.operation?.toLowerCase() ?? null },
  };
  const page = pageOf(store.requests.page(from, filter, limit + 1), limit, ({ id }) => id);
  return JSON.stringify({ requests: page.elements.map(rowView), next: page.next });
};

const showRequest: ControlHandler = ({ world, id }) => {
  world.log.write();
  const number = numberOf(id);
  const entry = number === null ? undefined : world.store.requests.find(number);
  if (entry === undefined)
    return {
      refusal: 'not_found',
      why: `No request has the number ${JSON.stringify(id)}. GET requests lists the last 1,000.`,
    };
  const { request, answer, operation, ...row } = entry;
  const head = JSON.stringify({ ...rowView(row), operation }).slice(0, -1);
  return `${head},"request":${request},"answer":${answer}}`;
};

function rowView(row: RequestRow): LogRow {
  return { ...row, at: isoSeconds(row.at), wall_at: new Date(row.wall_at).toISOString() };
}

export const CONTROL_PATH = '/_control/';

const ROUTES: Readonly<Record<string, Readonly<Record<string, ControlHandler>>>> = {
  clock: { GET: readClock, POST: moveClock },
  payments: { POST: receivePayment },
  keys: { POST: makeKey },
  ping: { POST: sendPing },
  capabilities: { GET: listCapabilities },
  banks: { GET: listBanks },
  companies: { GET: listCompanies },
  deliveries: { GET: listDeliveries },
  'deliveries/{id}': { GET: showDelivery },
  'deliveries/{id}/explanation': { GET: explainDelivery },
  'deliveries/{id}/resend': { POST: resendDelivery },
  faults: { GET: listFaults, POST: armFault },
  'faults/clear': { POST: clearFaults },
  operations: { GET: listOperations },
  'operations/{id}': { GET: showOperation },
  'operations/{id}/settle': { POST: settleOperation },
  'operations/{id}/expire': { POST: expireOperation },
  requests: { GET: listRequests },
  'requests/{id}': { GET: showRequest },
  reset: { POST: resetSandbox },
  state: { GET: exportState, PUT: importState },
  status: { GET: showStatus },
};

export function answerControl(
  world: World,
  request: SandboxRequest,
  { path, query }: { readonly path: string; readonly query: string },
): SandboxAnswer {
  const ownPath = path.slice(CONTROL_PATH.length);
  const [pattern, id] = Object.hasOwn(ROUTES, ownPath) ? [ownPath, ''] : patternOf(ownPath);
  const handlers = Object.hasOwn(ROUTES, pattern) ? ROUTES[pattern] : undefined;
  if (handlers === undefined) {
    const why = `No route has this path. Below ${CONTROL_PATH} are ${Object.keys(ROUTES).join(', ')} and stream.`;
    return answerWithReason({ refusal: 'route_not_found', why });
  }
  const handler = Object.hasOwn(handlers, request.method) ? handlers[request.method] : undefined;
  if (handler === undefined) return answerWithReason(methodRefusal(Object.keys(handlers)));
  const nowMs = sandboxTime(world);
  applyDueChanges(world, nowMs);
  const result = handler({ world, body: request.body, nowMs, id, query });
  return typeof result === 'string' ? jsonAnswer(200, result) : answerWithReason(result);
}
