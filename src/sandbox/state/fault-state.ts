/** An armed fault as a kept sandbox has it, written and read: the members by which it was armed, and how many requests or deliveries it will still meet. */
import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoints.js';
import { FAILURE_CODES, FAILURES, isFailure } from '../../contract/failures.js';
import {
  DELIVERY_FAULTS,
  FAULT_KINDS,
  type Armed,
  type ArmedDelivery,
  type DeliveryFault,
  type Fault,
} from '../store/faults.js';
import {
  FAULT_BOUNDS,
  faultOf,
  type FaultMembers,
  foreignMembers,
  faultMembersOf,
  narrowingOf,
} from '../store/fault-members.js';
import { momentText } from '../../contract/notation.js';
import {
  anyText,
  exactTime,
  objectOf,
  optionalForm,
  orNull,
  wholeForm,
  word,
  yesOrNo,
  type Findings,
} from './form.js';

type Kind = Fault['kind'];
export type KeptFault = Omit<Armed, 'row'> | Omit<ArmedDelivery, 'row'>;

export const FAULT_FORM = objectOf({
  route: optionalForm(word(['*', ...ENDPOINT_IDS])),
  kind: optionalForm(word(FAULT_KINDS)),
  status: optionalForm(wholeForm(...FAULT_BOUNDS.status)),
  retry_after: optionalForm(wholeForm(...FAULT_BOUNDS.retry_after)),
  after: optionalForm(yesOrNo),
  delay_ms: optionalForm(wholeForm(...FAULT_BOUNDS.delay_ms)),
  pending: optionalForm(yesOrNo),
  failure: optionalForm(objectOf({ code: word(FAILURE_CODES), reason: anyText })),
  skip: optionalForm(wholeForm(...FAULT_BOUNDS.skip)),
  match: optionalForm(anyText),
  delivery: optionalForm(word(DELIVERY_FAULTS)),
  until: optionalForm(orNull(exactTime)),
  count: optionalForm(wholeForm(...FAULT_BOUNDS.count)),
});

/** Of that form: of requests with `route` and `kind`, or of deliveries with `delivery`. */
export interface FaultState extends FaultMembers {
  readonly route?: EndpointId | '*';
  readonly kind?: Kind;
  readonly skip?: number | undefined;
  readonly match?: string | undefined;
  readonly delivery?: DeliveryFault;
  readonly until?: string | null;
  readonly count?: number;
}

/** The members of a fault of deliveries. */
const OF_DELIVERIES: readonly string[] = ['delivery', 'until', 'count'];

export function faultState(armed: Armed | ArmedDelivery): FaultState {
  if ('delivery' in armed) {
    const { delivery, remaining: count, until } = armed;
    return { delivery, until: until === null ? null : momentText(until), count };
  }
  const { route, fault, remaining } = armed;
  return { route, kind: fault.kind, ...faultMembersOf(fault), ...narrowingOf(armed), count: remaining };
}

/** Null where it cannot be armed, which is noted. */
export function faultFrom(state: FaultState, findings: Findings): KeptFault | null {
  const { route, kind, delivery, until = null, count = 1, skip = 0, match = null } = state;
  const known = findings.count();
  if (delivery !== undefined) {
    for (const [member, value] of Object.entries(state))
      if (!OF_DELIVERIES.includes(member) && value !== undefined)
        findings.add('A fault of deliveries does not have this.', member);
    const untilMs = until === null ? null : Date.parse(until);
    return findings.count() === known ? { delivery, remaining: count, until: untilMs } : null;
  }
  if (state.until !== undefined) findings.add('Only a fault of deliveries has this.', 'until');
  if (route === undefined) findings.add('"route" is missing.');
  if (kind === undefined) findings.add('"kind" is missing.');
  if (route === undefined || kind === undefined) return null;
  for (const member of foreignMembers(kind, state))
    findings.add(`A fault of kind "${kind}" does not have this.`, member);
  const fault = faultOf(kind, state);
  if ('missing' in fault) findings.add(`"${fault.missing}" is missing.`);
  if ('surplus' in fault) findings.add('Give "failure" or "pending", not both.', fault.surplus);
  const { failure } = state;
  if (failure !== undefined && !isFailure(failure.code, failure.reason))
    findings.add(
      `Must be ${FAILURES[failure.code].reasons.join(' or ')} for this code.`,
      'failure',
      'reason',
    );
  if (findings.count() !== known || 'missing' in fault || 'surplus' in fault) return null;
  return { route, fault, remaining: count, skip, match };
}
