/** Converts faults of requests from and to their members in the API and in state documents. */
import type { FailureCode, FailureReason } from '../../contract/failures.js';
import type { ArmedFault, Fault } from './faults.js';

/** The smallest and the largest allowed value of each member that is a number. */
export const FAULT_BOUNDS = {
  status: [300, 599],
  retry_after: [0, 86_400],
  delay_ms: [0, 3_600_000],
  count: [1, 1_000_000],
  skip: [0, 1_000_000],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

export interface FaultMembers {
  readonly status?: number | undefined;
  /** The `Retry-After` header, in seconds. */
  readonly retry_after?: number | undefined;
  /** True: the request is carried out before the fault. */
  readonly after?: boolean | undefined;
  readonly delay_ms?: number | undefined;
  readonly pending?: boolean | undefined;
  readonly failure?: { readonly code: FailureCode; readonly reason: FailureReason } | undefined;
}

/** The fault kind of each member. */
export const KIND_OF_MEMBER = {
  status: 'status',
  retry_after: 'status',
  after: 'status',
  failure: 'outcome',
  pending: 'outcome',
  delay_ms: 'delay',
} as const satisfies Readonly<Record<keyof FaultMembers, Fault['kind']>>;

/** Returns the names of the members that belong to another kind of fault than `kind`. */
export function membersOfOtherKinds(kind: Fault['kind'], members: object): (keyof FaultMembers)[] {
  const names = Object.keys(KIND_OF_MEMBER) as (keyof FaultMembers)[];
  return names.filter((name) => KIND_OF_MEMBER[name] !== kind && Reflect.get(members, name) !== undefined);
}

export function faultMembersOf(fault: Fault): FaultMembers {
  switch (fault.kind) {
    case 'status':
      return { status: fault.status, retry_after: fault.retryAfter, after: fault.after };
    case 'delay':
      return { delay_ms: fault.delayMs };
    case 'outcome':
      return 'pending' in fault ? { pending: true } : { failure: { code: fault.code, reason: fault.reason } };
    default:
      return {};
  }
}

/** The members that select requests; defaults are omitted. */
export function selectionOf({ skip, match }: Pick<ArmedFault, 'skip' | 'match'>) {
  return { skip: skip === 0 ? undefined : skip, match: match ?? undefined };
}

/** Builds a fault. On failure returns the missing required member, or the member that another member excludes. */
export function faultOf(
  kind: Fault['kind'],
  { status, retry_after: retryAfter, after, delay_ms: delayMs, failure, pending }: FaultMembers,
): Fault | { readonly missing: keyof FaultMembers } | { readonly surplus: 'pending' } {
  switch (kind) {
    case 'status':
      if (status === undefined) return { missing: 'status' };
      return {
        ...{ kind, status },
        ...(retryAfter === undefined ? {} : { retryAfter }),
        ...(after === true ? { after } : {}),
      };
    case 'delay':
      return delayMs === undefined ? { missing: 'delay_ms' } : { kind, delayMs };
    case 'outcome':
      if (pending === true) return failure === undefined ? { kind, pending } : { surplus: 'pending' };
      return failure === undefined ? { missing: 'failure' } : { kind, ...failure };
    default:
      return { kind };
  }
}
