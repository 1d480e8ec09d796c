/** Arms, lists and clears faults: of the next requests of a route, and of the next deliveries. */
import type { Detail } from '../../contract/errors.js';
import { ENDPOINT_IDS } from '../../contract/endpoints.js';
import { FAILURE_CODES, FAILURES, isFailure, type FailureReason } from '../../contract/failures.js';
import { jsonIn } from '../../contract/json.js';
import { readDuration } from '../../contract/notation.js';
import { integer, isObject, object, oneOf, optional, textLike, type Shaped } from '../../contract/shape.js';
import { isoSeconds } from '../../runtime/clock.js';
import {
  type Armed,
  type ArmedDelivery,
  DELIVERY_FAULTS,
  type Fault,
  FAULT_KINDS,
  NAMED_ROUTES,
  routeNamed,
} from '../store/faults.js';
import type { HttpRefusal } from '../message.js';
import { type ControlCall, type ControlHandler, durationText, invalid, nothing, taking } from './call.js';

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
  skip: optional(integer(0, COUNT_MAX)),
  match: optional(textLike(/./su)),
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

const newDeliveryFault = object({
  delivery: oneOf(DELIVERY_FAULTS),
  count: optional(integer(1, COUNT_MAX)),
  for: optional(durationText),
});

/** Of the next deliveries where it says `delivery`, else of the next requests of a route. */
export const armsFault: ControlHandler = (call) =>
  isAboutDeliveries(call) ? armsDeliveries(call) : armsRequests(call);

function isAboutDeliveries({ body }: ControlCall): boolean {
  const sent = jsonIn(body);
  return isObject(sent) && (sent['delivery'] ?? null) !== null;
}

const armsRequests = taking(newFault, ({ world }, body) => {
  const fault = faultOf(body);
  if ('refusal' in fault) return fault;
  const { route, count = 1, skip = 0, match = null } = body;
  world.store.faults.arm({ route: routeNamed(route), fault, remaining: count, skip, match });
  return JSON.stringify({ armed: count });
});

const armsDeliveries = taking(newDeliveryFault, ({ world, nowMs }, { delivery, count = 1, for: time }) => {
  const until = time === undefined ? null : nowMs + (readDuration(time) ?? 0);
  world.store.faults.armDelivery({ delivery, remaining: count, until });
  return JSON.stringify({ armed: count });
});

/** What is armed, in the order in which it is met. */
export const listsFaults: ControlHandler = ({ world, nowMs }) => {
  const armed = world.store.faults.all().filter((fault) => !('delivery' in fault) || isArmed(fault, nowMs));
  return JSON.stringify({ faults: armed.map(shownFault) });
};

function isArmed({ until }: ArmedDelivery, nowMs: number): boolean {
  return until === null || until > nowMs;
}

/** What delivery faults keep back goes now; how many that are is said where there are any. */
export const clearsFaults = taking(nothing, ({ world: { store }, nowMs }) => {
  const cleared = store.faults.clear();
  const released = store.deliveries.letGo(nowMs);
  return JSON.stringify(released === 0 ? { cleared } : { cleared, released });
});

/** With the members by which it was armed. */
function shownFault(armed: Armed | ArmedDelivery): object {
  if ('delivery' in armed) {
    const { row: id, delivery, remaining, until } = armed;
    return { id, delivery, remaining, until: until === null ? null : isoSeconds(until) };
  }
  const { row: id, route, fault, remaining, skip, match } = armed;
  const { kind } = fault;
  // Left out where they say nothing.
  const narrowed = { skip: skip === 0 ? undefined : skip, match: match ?? undefined };
  return { id, route, kind, ...ownMembers(fault), ...narrowed, remaining };
}

function ownMembers(fault: Fault): object {
  switch (fault.kind) {
    case 'status':
      return { status: fault.status, retry_after: fault.retryAfter };
    case 'delay':
      return { delay_ms: fault.delayMs };
    case 'outcome':
      return { failure: { code: fault.code, reason: fault.reason } };
    default:
      return {};
  }
}

function faultOf(body: NewFault): Fault | HttpRefusal {
  const kind = body.kind ?? (body.status === undefined ? undefined : 'status');
  if (kind === undefined)
    return invalid(
      [{ field: 'kind', code: 'required' }],
      `Add what goes wrong: status, or a kind: one of ${FAULT_KINDS.join(', ')}.`,
    );
  const foreign = Object.entries(OWN_FIELDS)
    .filter(([field, owner]) => owner !== kind && field in body)
    .map(([field]): Detail => ({ field, code: 'unknown' }));
  if (foreign.length > 0)
    return invalid(
      foreign,
      Object.entries(OWN_FIELDS)
        .filter(([field]) => foreign.some((detail) => detail.field === field))
        .map(([field, owner]) => `${field} goes with the kind ${owner} alone, not with ${kind}.`)
        .join(' '),
    );
  switch (kind) {
    case 'status':
      return body.status === undefined
        ? missing('status', 'a whole number from 300 to 599')
        : {
            kind,
            status: body.status,
            ...(body.retry_after === undefined ? {} : { retryAfter: body.retry_after }),
          };
    case 'delay':
      return { kind, delayMs: body.delay_ms ?? DEFAULT_DELAY_MS };
    case 'outcome':
      return body.failure === undefined
        ? missing('failure', 'for example {"code":"limit_exceeded","reason":"daily_limit"}')
        : outcomeOf(body.failure);
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
  if (!isFailure(code, reason))
    return invalid(
      [{ field: 'failure.reason', code: 'invalid' }],
      `failure.reason must be one of ${FAILURES[code].reasons.join(', ')}.`,
    );
  return { kind: 'outcome', code, reason: reason as FailureReason };
}

function missing(field: string, accepts: string): HttpRefusal {
  return invalid([{ field, code: 'required' }], `Add ${field}: ${accepts}.`);
}
