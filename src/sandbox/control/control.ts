/** The control API of the sandbox, outside the contract and without an API key: clock, payments, keys, deliveries and faults. */
import { applyDueChanges, sandboxTime, type World } from '../engine/world.js';
import {
  type HttpRefusal,
  jsonAnswer,
  explainedAnswer,
  type SandboxAnswer,
  type SandboxRequest,
} from '../message.js';
import { methodNotAllowed } from '../http/endpoints.js';
import { listsBanks, listsCapabilities } from '../http/lists.js';
import { type ControlHandler, invalidField, pageOf, askedPage } from './call.js';
import { explainsDelivery, listsDeliveries, pings, resendsDelivery, showsDelivery } from './deliveries.js';
import { armsFault, clearsFaults, listsFaults } from './faults.js';
import { listsCompanies, makesKey, movesClock, readsClock, resets, showsStatus } from './whole.js';
import {
  expiresOperation,
  listsOperations,
  settlesOperation,
  showsOperation,
  receivesPayment,
} from './operations.js';
import { isoSeconds } from '../../runtime/clock.js';
import { handsOutState, takesState } from './state.js';
import type { LogRow } from '../log/logged.js';
import type { RequestFilter, RequestRow } from '../store/requests.js';

const ID = /^(?:0|[1-9][0-9]{0,14})$/;
const numberOf = (id: string): number | null => (ID.test(id) ? Number(id) : null);

const listsRequests: ControlHandler = (call) => {
  const asked = askedPage(call, ['status', 'method', 'path'], numberOf);
  if ('refusal' in asked) return asked;
  const { values, from, limit } = asked;
  const status = values.status === undefined ? null : statusOf(values.status);
  if (status === undefined)
    return invalidField(
      'status',
      'invalid',
      'status must be a status such as 404, a kind of status such as 4xx, or cut.',
    );
  const { log, store } = call.world;
  log.write();
  const filter = { status, method: values.method?.toUpperCase() ?? null, path: values.path ?? null };
  const page = pageOf(store.requests.page(from, filter, limit + 1), limit, ({ id }) => id);
  return JSON.stringify({ requests: page.elements.map(shown), next: page.next });
};

/** `404`, `4xx`, or `cut`; undefined for anything else. */
function statusOf(text: string): RequestFilter['status'] | undefined {
  if (text === 'cut') return 'cut';
  const [, first, rest] = /^([1-5])(xx|[0-9]{2})$/.exec(text) ?? [];
  if (first === undefined) return undefined;
  return rest === 'xx' ? [Number(first) * 100, Number(first) * 100 + 99] : [Number(text), Number(text)];
}

const showsRequest: ControlHandler = ({ world, id }) => {
  world.log.write();
  const number = numberOf(id);
  const found = number === null ? undefined : world.store.requests.find(number);
  if (found === undefined)
    return {
      refusal: 'not_found',
      why: `No request has the number ${JSON.stringify(id)}. GET requests lists the last 1,000.`,
    };
  const { request, answer, operation } = found;
  const head = JSON.stringify({ ...shown(found), operation }).slice(0, -1);
  return `${head},"request":${request},"answer":${answer}}`;
};

function shown(row: RequestRow): LogRow {
  return {
    id: row.id,
    at: isoSeconds(row.at),
    wall_at: new Date(row.wall_at).toISOString(),
    method: row.method,
    path: row.path,
    endpoint: row.endpoint,
    company: row.company,
    status: row.status,
    ms: row.ms,
    idempotency_key: row.idempotency_key,
    replayed: row.replayed,
    fault: row.fault,
    refused: row.refused,
  };
}

export const CONTROL_PATH = '/_control/';

/** What stands after `/_control/`; `{id}` is any one segment. */
const ROUTES: Readonly<Record<string, Readonly<Record<string, ControlHandler>>>> = {
  clock: { GET: readsClock, POST: movesClock },
  payments: { POST: receivesPayment },
  keys: { POST: makesKey },
  ping: { POST: pings },
  // As the service answers them, and in no log: a look at a form is nobody's request.
  capabilities: { GET: listsCapabilities },
  banks: { GET: listsBanks },
  companies: { GET: listsCompanies },
  deliveries: { GET: listsDeliveries },
  'deliveries/{id}': { GET: showsDelivery },
  'deliveries/{id}/explanation': { GET: explainsDelivery },
  'deliveries/{id}/resend': { POST: resendsDelivery },
  faults: { GET: listsFaults, POST: armsFault },
  'faults/clear': { POST: clearsFaults },
  operations: { GET: listsOperations },
  'operations/{id}': { GET: showsOperation },
  'operations/{id}/settle': { POST: settlesOperation },
  'operations/{id}/expire': { POST: expiresOperation },
  requests: { GET: listsRequests },
  'requests/{id}': { GET: showsRequest },
  reset: { POST: resets },
  state: { GET: handsOutState, PUT: takesState },
  status: { GET: showsStatus },
};

/** Answers a request whose path begins with `/_control/`. @param asked path and query, as sent */
export function answerControl(
  world: World,
  request: SandboxRequest,
  { path, query }: { readonly path: string; readonly query: string },
): SandboxAnswer {
  const found = findHandler(request.method, path.slice(CONTROL_PATH.length));
  if ('refusal' in found) return explainedAnswer(found);
  const nowMs = sandboxTime(world);
  applyDueChanges(world, nowMs);
  const result = found.handler({ world, body: request.body, nowMs, id: found.id, query });
  return typeof result === 'string' ? jsonAnswer(200, result) : explainedAnswer(result);
}

function findHandler(method: string, path: string): { handler: ControlHandler; id: string } | HttpRefusal {
  const [name, id] = Object.hasOwn(ROUTES, path) ? [path, ''] : patternOf(path);
  const byMethod = Object.hasOwn(ROUTES, name) ? ROUTES[name] : undefined;
  if (byMethod === undefined) {
    const why = `No route has this path. Below ${CONTROL_PATH} are ${Object.keys(ROUTES).join(', ')} and stream.`;
    return { refusal: 'route_not_found', why };
  }
  const handler = Object.hasOwn(byMethod, method) ? byMethod[method] : undefined;
  return handler === undefined ? methodNotAllowed(Object.keys(byMethod)) : { handler, id };
}

/** The route whose `{id}` is the second segment, and that segment. */
function patternOf(path: string): readonly [route: string, id: string] {
  const [, first = '', id = '', rest = ''] = /^([^/]+)\/([^/]+)(\/[^/]+)?$/.exec(path) ?? [];
  return [`${first}/{id}${rest}`, id];
}
