import type { Detail } from '../../contract/errors.js';
import { ENDPOINT_IDS } from '../../contract/endpoints.js';
import { FAILURE_CODES, FAILURES, isFailure, type FailureReason } from '../../contract/failures.js';
import { jsonIn } from '../../contract/json.js';
import { readDuration } from '../../contract/notation.js';
import { integer, isObject, object, oneOf, optional, textLike } from '../../contract/shape.js';
import { DELIVERY_FAULTS, FAULT_BOUNDS, FAULT_KINDS, KIND_OF_MEMBER, ALIASES } from '../store/faults.js';
import { faultMembersOf, faultOf, membersOfOtherKinds, routeByName, selectionOf } from '../store/faults.js';
import type { ArmedFault, ArmedDeliveryFault, FaultMembers } from '../store/faults.js';
import { fieldsRefusal } from '../http/call.js';
import { type ControlHandler, durationShape, fieldRefusal, isoOrNull, noBody, withBody } from './call.js';

const faultShape = object({
  route: oneOf(['*', ...ENDPOINT_IDS, ...ALIASES]),
  kind: optional(oneOf(FAULT_KINDS)),
  status: optional(integer(...FAULT_BOUNDS.status)),
  failure: optional(object({ code: oneOf(FAILURE_CODES), reason: optional(textLike(/./su)) })),
  count: optional(integer(...FAULT_BOUNDS.count)),
  skip: optional(integer(...FAULT_BOUNDS.skip)),
  match: optional(textLike(/./su)),
  retry_after: optional(integer(...FAULT_BOUNDS.retry_after)),
  after: optional(oneOf([true, false])),
  delay_ms: optional(integer(...FAULT_BOUNDS.delay_ms)),
  pending: optional(oneOf([true, false])),
});

const deliveryFaultShape = object({
  delivery: oneOf(DELIVERY_FAULTS),
  count: optional(integer(...FAULT_BOUNDS.count)),
  for: optional(durationShape),
});

const ACCEPTED_VALUES: Readonly<Partial<Record<keyof FaultMembers, string>>> = {
  status: 'a whole number from 300 to 599',
  failure: 'for example {"code":"limit_exceeded","reason":"daily_limit"}, or "pending":true',
};

export const armFault: ControlHandler = (call) => {
  const body = jsonIn(call.body);
  const isAboutDeliveries = isObject(body) && (body['delivery'] ?? null) !== null;
  return isAboutDeliveries ? armDeliveryFault(call) : armRequestFault(call);
};

const armRequestFault = withBody(faultShape, ({ world }, body) => {
  const { route, count = 1, skip = 0, match = null } = body;
  const kind = body.kind ?? (body.status === undefined ? undefined : 'status');
  if (kind === undefined)
    return fieldRefusal(
      'kind',
      `Add what goes wrong: status, or a kind: one of ${FAULT_KINDS.join(', ')}.`,
      'required',
    );
  const wrongMembers = membersOfOtherKinds(kind, body);
  if (wrongMembers.length > 0)
    return fieldsRefusal(
      wrongMembers.map((field): Detail => ({ field, code: 'unknown' })),
      wrongMembers
        .map((field) => `${field} goes with the kind ${KIND_OF_MEMBER[field]} alone, not with ${kind}.`)
        .join(' '),
    );
  let failure: FaultMembers['failure'];
  if (body.failure !== undefined) {
    const { code, reason = FAILURES[code].reasons[0] } = body.failure;
    const reasonsText = FAILURES[code].reasons.join(', ');
    if (!isFailure(code, reason))
      return fieldRefusal('failure.reason', `failure.reason must be one of ${reasonsText}.`);
    failure = { code, reason: reason as FailureReason };
  }
  const fault = faultOf(kind, { ...body, delay_ms: body.delay_ms ?? 1000, failure });
  if ('surplusMember' in fault)
    return fieldRefusal(
      fault.surplusMember,
      'Give failure or pending, not both: a pending operation has no outcome yet.',
    );
  if ('missingMember' in fault) {
    const acceptedValue = ACCEPTED_VALUES[fault.missingMember] ?? '';
    return fieldRefusal(fault.missingMember, `Add ${fault.missingMember}: ${acceptedValue}.`, 'required');
  }
  world.store.faults.arm({ route: routeByName(route), fault, remaining: count, skip, match });
  return JSON.stringify({ armed: count });
});

const armDeliveryFault = withBody(
  deliveryFaultShape,
  ({ world, nowMs }, { delivery, count = 1, for: duration }) => {
    const until = duration === undefined ? null : nowMs + (readDuration(duration) ?? 0);
    world.store.faults.arm({ delivery, remaining: count, until });
    return JSON.stringify({ armed: count });
  },
);

export const listFaults: ControlHandler = ({ world, nowMs }) => {
  const isArmed = (fault: ArmedFault | ArmedDeliveryFault): boolean =>
    !('delivery' in fault) || fault.until === null || fault.until > nowMs;
  return JSON.stringify({ faults: world.store.faults.all().filter(isArmed).map(faultView) });
};

export const clearFaults = withBody(noBody, ({ world: { store }, nowMs }) => {
  const cleared = store.faults.clear();
  const released = store.deliveries.releaseHeld(nowMs);
  return JSON.stringify(released === 0 ? { cleared } : { cleared, released });
});

function faultView(armedFault: ArmedFault | ArmedDeliveryFault): object {
  if ('delivery' in armedFault) {
    const { row: id, delivery, remaining, until } = armedFault;
    return { id, delivery, remaining, until: isoOrNull(until) };
  }
  const { row: id, route, fault, remaining } = armedFault;
  return { id, route, kind: fault.kind, ...faultMembersOf(fault), ...selectionOf(armedFault), remaining };
}
