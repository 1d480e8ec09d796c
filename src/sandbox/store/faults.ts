import type { EndpointId } from '../../contract/endpoints.js';
import type { FailureCode, FailureReason } from '../../contract/failures.js';
import type { SqlValue } from '../../runtime/database-file.js';
import type { Database } from '../../runtime/database.js';
import { insertInto } from './rows.js';

export const FAULT_KINDS = [
  'status',
  'drop-before',
  'drop-after',
  'delay',
  'garbage',
  'truncated',
  'silent',
  'outcome',
] as const;

export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number; readonly after?: true }
  | { readonly kind: 'drop-before' | 'drop-after' | 'garbage' | 'truncated' | 'silent' }
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'outcome'; readonly code: FailureCode; readonly reason: FailureReason }
  | { readonly kind: 'outcome'; readonly pending: true };

export const DELIVERY_FAULTS = ['duplicate', 'reorder', 'hold', 'bad-signature', 'before-answer'] as const;
export type DeliveryFault = (typeof DELIVERY_FAULTS)[number];

export interface ArmedFault {
  readonly row: number;
  readonly route: EndpointId | '*';
  readonly fault: Fault;
  readonly remaining: number;
  readonly skip: number;
  readonly match: string | null;
}

export interface ArmedDeliveryFault {
  readonly row: number;
  readonly delivery: DeliveryFault;
  readonly remaining: number;
  readonly until: number | null;
}

export type NewFault = Omit<ArmedFault, 'row'> | Omit<ArmedDeliveryFault, 'row'>;

type Row = Omit<ArmedFault, 'route' | 'fault'> &
  Pick<ArmedDeliveryFault, 'until'> & { readonly route: ArmedFault['route'] | null; readonly fault: string };

const COLUMNS = 'row, route, fault, remaining, skip, match, until';

export function faultsIn(db: Database) {
  const select = (rest: string, ...values: SqlValue[]): (ArmedFault | ArmedDeliveryFault)[] =>
    db
      .query<Row>(`SELECT ${COLUMNS} FROM faults ${rest} ORDER BY row`)
      .all(...values)
      .map(({ row, route, fault, remaining, skip, match, until }) =>
        route === null
          ? { row, delivery: fault as DeliveryFault, remaining, until }
          : { row, route, fault: JSON.parse(fault) as Fault, remaining, skip, match },
      );
  return {
    arm: (fault: NewFault) => void insertInto(db, 'faults', faultRow(fault)),
    ofRoute: (route: EndpointId) => select("WHERE route IN (?, '*')", route) as ArmedFault[],
    ofDeliveries: (atMs: number) =>
      select('WHERE route IS NULL AND (until IS NULL OR until > ?)', atMs) as ArmedDeliveryFault[],
    all: () => select(''),
    clear: () => db.run('DELETE FROM faults'),
    useUp: ({ row, remaining }: Pick<ArmedFault, 'row' | 'remaining'>) => {
      if (remaining > 1) db.run('UPDATE faults SET remaining = remaining - 1 WHERE row = ?', row);
      else db.run('DELETE FROM faults WHERE row = ?', row);
    },
    countSkipped: ({ row }: ArmedFault) => db.run('UPDATE faults SET skip = skip - 1 WHERE row = ?', row),
    removeExpired: (untilMs: number) => db.run('DELETE FROM faults WHERE until <= ?', untilMs),
  };
}

export function faultRow(newFault: NewFault) {
  if (!('delivery' in newFault)) return { ...newFault, fault: JSON.stringify(newFault.fault), until: null };
  const { delivery: fault, remaining, until } = newFault;
  return { route: null, fault, remaining, skip: 0, match: null, until };
}

export const FAULT_BOUNDS = {
  status: [300, 599],
  retry_after: [0, 86_400],
  delay_ms: [0, 3_600_000],
  count: [1, 1_000_000],
  skip: [0, 1_000_000],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

export interface FaultMembers {
  readonly status?: number | undefined;
  readonly retry_after?: number | undefined;
  readonly after?: boolean | undefined;
  readonly delay_ms?: number | undefined;
  readonly pending?: boolean | undefined;
  readonly failure?: { readonly code: FailureCode; readonly reason: FailureReason } | undefined;
}

export const KIND_OF_MEMBER = {
  status: 'status',
  retry_after: 'status',
  after: 'status',
  failure: 'outcome',
  pending: 'outcome',
  delay_ms: 'delay',
} as const satisfies Readonly<Record<keyof FaultMembers, Fault['kind']>>;

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

export function selectionOf({ skip, match }: Pick<ArmedFault, 'skip' | 'match'>) {
  return { skip: skip === 0 ? undefined : skip, match: match ?? undefined };
}

export function faultOf(
  kind: Fault['kind'],
  { status, retry_after: retryAfter, after, delay_ms: delayMs, failure, pending }: FaultMembers,
): Fault | { readonly missingMember: keyof FaultMembers } | { readonly surplusMember: 'pending' } {
  switch (kind) {
    case 'status':
      if (status === undefined) return { missingMember: 'status' };
      return {
        ...{ kind, status },
        ...(retryAfter === undefined ? {} : { retryAfter }),
        ...(after === true ? { after } : {}),
      };
    case 'delay':
      return delayMs === undefined ? { missingMember: 'delay_ms' } : { kind, delayMs };
    case 'outcome':
      if (pending === true) return failure === undefined ? { kind, pending } : { surplusMember: 'pending' };
      return failure === undefined ? { missingMember: 'failure' } : { kind, ...failure };
    default:
      return { kind };
  }
}

const ROUTE_BY_ALIAS: ReadonlyMap<string, EndpointId> = new Map([
  ['capabilities.list', 'capabilities'],
  ['methods.list', 'methods'],
  ['banks.list', 'banks'],
  ['balances.list', 'balances'],
  ['payins.resendCode', 'payins.resend'],
  ['webhookEndpoints.create', 'webhooks.register'],
]);

export const ALIASES = [...ROUTE_BY_ALIAS.keys()];

export const routeByName = (name: string): EndpointId | '*' =>
  ROUTE_BY_ALIAS.get(name) ?? (name as EndpointId | '*');
