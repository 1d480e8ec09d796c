/** An armed fault as a kept sandbox has it, written and read: the members by which it was armed, and how many requests or deliveries it will still meet. */
import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoints.js';
import {
  FAILURE_CODES,
  FAILURES,
  isFailure,
  type FailureCode,
  type FailureReason,
} from '../../contract/failures.js';
import {
  DELIVERY_FAULTS,
  FAULT_KINDS,
  type Armed,
  type ArmedDelivery,
  type DeliveryFault,
  type Fault,
} from '../store/faults.js';
import { momentText } from '../../contract/notation.js';
import {
  anyText,
  exactTime,
  objectOf,
  optionalForm,
  orNull,
  wholeForm,
  word,
  type Findings,
} from './form.js';

type Kind = Fault['kind'];
export type KeptFault = Omit<Armed, 'row'> | Omit<ArmedDelivery, 'row'>;

export const FAULT_FORM = objectOf({
  route: optionalForm(word(['*', ...ENDPOINT_IDS])),
  kind: optionalForm(word(FAULT_KINDS)),
  status: optionalForm(wholeForm(300, 599)),
  retry_after: optionalForm(wholeForm(0, 86_400)),
  delay_ms: optionalForm(wholeForm(0, 3_600_000)),
  failure: optionalForm(objectOf({ code: word(FAILURE_CODES), reason: anyText })),
  skip: optionalForm(wholeForm(0, 1_000_000)),
  match: optionalForm(anyText),
  delivery: optionalForm(word(DELIVERY_FAULTS)),
  until: optionalForm(orNull(exactTime)),
  count: optionalForm(wholeForm(1, 1_000_000)),
});

/** Of that form: of requests with `route` and `kind`, or of deliveries with `delivery`. */
export interface FaultState {
  readonly route?: EndpointId | '*';
  readonly kind?: Kind;
  readonly skip?: number | undefined;
  readonly match?: string | undefined;
  readonly delivery?: DeliveryFault;
  readonly until?: string | null;
  readonly status?: number | undefined;
  readonly retry_after?: number | undefined;
  readonly delay_ms?: number | undefined;
  readonly failure?: { readonly code: FailureCode; readonly reason: FailureReason } | undefined;
  readonly count?: number;
}

/** The members that belong to one kind alone; the first of a kind must be there. */
const OWN = {
  status: ['status', 'retry_after'],
  delay: ['delay_ms'],
  outcome: ['failure'],
} as const satisfies Partial<Record<Kind, readonly (keyof FaultState)[]>>;

/** The members of a fault of deliveries. */
const OF_DELIVERIES: readonly string[] = ['delivery', 'until', 'count'];

export function faultState(armed: Armed | ArmedDelivery): FaultState {
  if ('delivery' in armed) {
    const { delivery, remaining: count, until } = armed;
    return { delivery, until: until === null ? null : momentText(until), count };
  }
  const { route, fault, remaining, skip, match } = armed;
  const { kind } = fault;
  const own = (): Partial<FaultState> => {
    switch (kind) {
      case 'status':
        return { status: fault.status, retry_after: fault.retryAfter };
      case 'delay':
        return { delay_ms: fault.delayMs };
      case 'outcome':
        return { failure: { code: fault.code, reason: fault.reason } };
      default:
        return {};
    }
  };
  const narrowed = { skip: skip === 0 ? undefined : skip, match: match ?? undefined };
  return { route, kind, ...own(), ...narrowed, count: remaining };
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
  for (const [owner, members] of Object.entries(OWN))
    for (const [place, member] of members.entries()) {
      if (owner !== kind && state[member] !== undefined)
        findings.add(`A fault of kind "${kind}" does not have this.`, member);
      if (owner === kind && place === 0 && state[member] === undefined)
        findings.add(`"${member}" is missing.`);
    }
  const { failure } = state;
  if (failure !== undefined && !isFailure(failure.code, failure.reason))
    findings.add(
      `Must be ${FAILURES[failure.code].reasons.join(' or ')} for this code.`,
      'failure',
      'reason',
    );
  if (findings.count() !== known) return null;
  return { route, fault: faultOf({ ...state, kind }), remaining: count, skip, match };
}

function faultOf({
  kind,
  status = 0,
  retry_after: retryAfter,
  delay_ms: delayMs = 0,
  failure,
}: FaultState & { readonly kind: Kind }): Fault {
  switch (kind) {
    case 'status':
      return { kind, status, ...(retryAfter === undefined ? {} : { retryAfter }) };
    case 'delay':
      return { kind, delayMs };
    case 'outcome':
      return { kind, code: failure?.code ?? 'rejected', reason: failure?.reason ?? 'other' };
    default:
      return { kind };
  }
}
