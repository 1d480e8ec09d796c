/** Arms faults: what happens to the next requests of a route. */
import type { Detail } from '../../contract/errors.js';
import { ENDPOINT_IDS } from '../../contract/endpoints.js';
import { FAILURE_CODES, FAILURES, isFailure, type FailureReason } from '../../contract/failures.js';
import { integer, object, oneOf, optional, textLike, type Shaped } from '../../contract/shape.js';
import type { HttpRefusal } from '../message.js';
import { type Armed, type Fault, FAULT_KINDS, NAMED_ROUTES, routeNamed } from '../store/faults.js';
import { invalid, nothing, taking, type ControlHandler } from './call.js';

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

export const armsFault = taking(newFault, ({ world }, body) => {
  const fault = faultOf(body);
  if ('refusal' in fault) return fault;
  const { route, count = 1 } = body;
  world.store.faults.arm(routeNamed(route), fault, count);
  return JSON.stringify({ armed: count });
});

/** What is armed, in the order in which it is met. */
export const listsFaults: ControlHandler = ({ world }) =>
  JSON.stringify({ faults: world.store.faults.all().map(shown) });

export const clearsFaults = taking(nothing, ({ world }) =>
  JSON.stringify({ cleared: world.store.faults.clear() }),
);

/** With the members by which it was armed. */
function shown({ row: id, route, fault, remaining }: Armed): object {
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
