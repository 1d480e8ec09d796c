/** The members by which a fault of requests is armed, shown and kept: whose each is, its bounds, and both ways between them and the fault. */
import type { FailureCode, FailureReason } from '../../contract/failures.js';
import type { Armed, Fault } from './faults.js';

/** Both included. */
export const FAULT_BOUNDS = {
  status: [300, 599],
  retry_after: [0, 86_400],
  delay_ms: [0, 3_600_000],
  count: [1, 1_000_000],
  skip: [0, 1_000_000],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

/** The members that say what a fault does. */
export interface FaultMembers {
  readonly status?: number | undefined;
  /** In seconds. */
  readonly retry_after?: number | undefined;
  /** The request is carried out first. */
  readonly after?: boolean | undefined;
  readonly delay_ms?: number | undefined;
  readonly pending?: boolean | undefined;
  readonly failure?: { readonly code: FailureCode; readonly reason: FailureReason } | undefined;
}

/** The kind that each of them belongs to. */
export const KIND_OF_MEMBER = {
  status: 'status',
  retry_after: 'status',
  after: 'status',
  failure: 'outcome',
  pending: 'outcome',
  delay_ms: 'delay',
} as const satisfies Readonly<Record<keyof FaultMembers, Fault['kind']>>;

/** The members that are there and belong to another kind. */
export function foreignMembers(kind: Fault['kind'], given: object): (keyof FaultMembers)[] {
  const names = Object.keys(KIND_OF_MEMBER) as (keyof FaultMembers)[];
  return names.filter((name) => KIND_OF_MEMBER[name] !== kind && Reflect.get(given, name) !== undefined);
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

/** Which requests it meets; what says nothing is left out. */
export function narrowingOf({ skip, match }: Pick<Armed, 'skip' | 'match'>) {
  return { skip: skip === 0 ? undefined : skip, match: match ?? undefined };
}

/** The fault of these members, or the one that it must have, or the one that cannot go with another one. */
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
