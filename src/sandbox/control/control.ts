/** The control API of the sandbox, outside the contract and without an API key: clock, payments, keys, deliveries and faults. */
import { bringUpTo, sandboxTime, type World } from '../engine/world.js';
import {
  type HttpRefusal,
  jsonAnswer,
  refusalAnswer,
  type SandboxAnswer,
  type SandboxRequest,
} from '../message.js';
import { methodNotAllowed } from '../http/endpoints.js';
import { listsBanks, listsCapabilities } from '../http/lists.js';
import { type ControlHandler, invalid, pageOf, askedPage, nothing, taking } from './call.js';
import { explainsDelivery, listsDeliveries, pings, resendsDelivery, showsDelivery } from './deliveries.js';
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
import type { Logged } from '../log/logged.js';
import type { RequestFilter, RequestRow } from '../store/requests.js';
import type { Detail } from '../../contract/errors.js';
import { ENDPOINT_IDS } from '../../contract/endpoints.js';
import { FAILURE_CODES, FAILURES, isFailure, type FailureReason } from '../../contract/failures.js';
import { integer, object, oneOf, optional, textLike, type Shaped } from '../../contract/shape.js';
import { type Armed, type Fault, FAULT_KINDS, NAMED_ROUTES, routeNamed } from '../store/faults.js';

const COUNT_MAX = 1_000_000;
const RETRY_AFTER_MAX_S = 86_400;
const DEFAULT_DELAY_MS = 1000;
const DELAY_MAX_MS = 3_600_000;

const newFault = object({
  route: oneOf(['*', ...ENDPOINT_IDS, ...NAMED_ROUTES]),
  kind: optional(oneOf(FAULT_KINDS)),
  status: optional(integer(300, 599)),
  failure: optional(object({ code: oneOf(FAILURE_CODES), reason: optional(textLike(/./su)) })),
  count: optional(integer(1, COUNT_MAX)),
  retry_after: optional(integer(0, RETRY_AFTER_MAX_S)),
  delay_ms: optional(integer(0, DELAY_MAX_MS)),
});

type NewFault = Shaped<typeof newFault>;
type Kind = Fault['kind'];

/** The field that belongs to one kind alone. */
const OWN_FIELDS = {
  status: 'status',
  retry_after: 'status',
  failure: 'outcome',
  delay_ms: 'delay',
} as const satisfies Record<string, Kind>;

const armsFault = taking(newFault, ({ world }, body) => {
  const fault = faultOf(body);
  if ('refusal' in fault) return fault;
  const { route, count = 1 } = body;
  world.store.faults.arm(routeNamed(route), fault, count);
  return JSON.stringify({ armed: count });
});

/** What is armed, in the order in which it is met. */
const listsFaults: ControlHandler = ({ world }) =>
  JSON.stringify({ faults: world.store.faults.all().map(shownFault) });

const clearsFaults = taking(nothing, ({ world }) => JSON.stringify({ cleared: world.store.faults.clear() }));

/** With the members by which it was armed. */
function shownFault({ row: id, route, fault, remaining }: Armed): object {
  const { kind } = fault;
  switch (kind) {
    case 'status':
      return { id, route, kind, status: fault.status, retry_after: fault.retryAfter, remaining };
    case 'delay':
      return { id, route, kind, delay_ms: fault.delayMs, remaining };
    case 'outcome':
      return { id, route, kind, failure: { code: fault.code, reason: fault.reason }, remaining };
    default:
      return { id, route, kind, remaining };
  }
}

function faultOf(body: NewFault): Fault | HttpRefusal {
  const kind = body.kind ?? (body.status === undefined ? undefined : 'status');
  if (kind === undefined) return invalid([{ field: 'kind', code: 'required' }]);
  const foreign = Object.entries(OWN_FIELDS)
    .filter(([field, owner]) => owner !== kind && field in body)
    .map(([field]): Detail => ({ field, code: 'unknown' }));
  if (foreign.length > 0) return invalid(foreign);
  switch (kind) {
    case 'status':
      return body.status === undefined
        ? missing('status')
        : {
            kind,
            status: body.status,
            ...(body.retry_after === undefined ? {} : { retryAfter: body.retry_after }),
          };
    case 'delay':
      return { kind, delayMs: body.delay_ms ?? DEFAULT_DELAY_MS };
    case 'outcome':
      return body.failure === undefined ? missing('failure') : outcomeOf(body.failure);
    case 'drop-before':
    case 'drop-after':
    case 'garbage':
      return { kind };
  }
}

function outcomeOf({
  code,
  reason = FAILURES[code].reasons[0],
}: NonNullable<NewFault['failure']>): Fault | HttpRefusal {
  if (!isFailure(code, reason)) return invalid([{ field: 'failure.reason', code: 'invalid' }]);
  return { kind: 'outcome', code, reason: reason as FailureReason };
}

function missing(field: string): HttpRefusal {
  return invalid([{ field, code: 'required' }]);
}

const ID = /^(?:0|[1-9][0-9]{0,14})$/;
const numberOf = (id: string): number | null => (ID.test(id) ? Number(id) : null);

const listsRequests: ControlHandler = (call) => {
  const asked = askedPage(call, ['status', 'method', 'path'], numberOf);
  if ('refusal' in asked) return asked;
  const { values, from, limit } = asked;
  const status = values.status === undefined ? null : statusOf(values.status);
  if (status === undefined) return invalid([{ field: 'status', code: 'invalid' }]);
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
  if (found === undefined) return { refusal: 'not_found' };
  const { request, answer, operation } = found;
  const head = JSON.stringify({ ...shown(found), operation }).slice(0, -1);
  return `${head},"request":${request},"answer":${answer}}`;
};

function shown(row: RequestRow): Logged {
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
  if ('refusal' in found) return refusalAnswer(found);
  const nowMs = sandboxTime(world);
  bringUpTo(world, nowMs);
  const result = found.handler({ world, body: request.body, nowMs, id: found.id, query });
  return typeof result === 'string' ? jsonAnswer(200, result) : refusalAnswer(result);
}

function findHandler(method: string, path: string): { handler: ControlHandler; id: string } | HttpRefusal {
  const [name, id] = Object.hasOwn(ROUTES, path) ? [path, ''] : patternOf(path);
  const byMethod = Object.hasOwn(ROUTES, name) ? ROUTES[name] : undefined;
  if (byMethod === undefined) return { refusal: 'route_not_found' };
  const handler = Object.hasOwn(byMethod, method) ? byMethod[method] : undefined;
  return handler === undefined ? methodNotAllowed(Object.keys(byMethod)) : { handler, id };
}

/** The route whose `{id}` is the second segment, and that segment. */
function patternOf(path: string): readonly [route: string, id: string] {
  const [, first = '', id = '', rest = ''] = /^([^/]+)\/([^/]+)(\/[^/]+)?$/.exec(path) ?? [];
  return [`${first}/{id}${rest}`, id];
}
