/** An armed fault as a kept sandbox has it, written and read: the members by which it was armed, and how many requests it will still meet. */
import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoints.js';
import {
  FAILURE_CODES,
  FAILURES,
  isFailure,
  type FailureCode,
  type FailureReason,
} from '../../contract/failures.js';
import { FAULT_KINDS, type Armed, type Fault } from '../store/faults.js';
import { anyText, objectOf, optionalForm, wholeForm, word, type Findings } from './form.js';

type Kind = Fault['kind'];
export type KeptFault = Omit<Armed, 'row'>;

export const FAULT_FORM = objectOf({
  route: word(['*', ...ENDPOINT_IDS]),
  kind: word(FAULT_KINDS),
  status: optionalForm(wholeForm(300, 599)),
  retry_after: optionalForm(wholeForm(0, 86_400)),
  delay_ms: optionalForm(wholeForm(0, 3_600_000)),
  failure: optionalForm(objectOf({ code: word(FAILURE_CODES), reason: anyText })),
  count: optionalForm(wholeForm(1, 1_000_000)),
});

/** Of that form. */
export interface FaultState {
  readonly route: EndpointId | '*';
  readonly kind: Kind;
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

export function faultState({ route, fault, remaining }: Armed): FaultState {
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
  return { route, kind, ...own(), count: remaining };
}

/** Null where it cannot be armed, which is noted. */
export function faultFrom(state: FaultState, findings: Findings): KeptFault | null {
  const { route, kind, count = 1 } = state;
  const known = findings.count();
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
  return findings.count() === known ? { route, fault: faultOf(state), remaining: count } : null;
}

function faultOf({
  kind,
  status = 0,
  retry_after: retryAfter,
  delay_ms: delayMs = 0,
  failure,
}: FaultState): Fault {
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
