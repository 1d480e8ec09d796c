/** The table of armed faults, their members in the API and in state documents, and the names of routes. */
import { endpoint, ENDPOINT_IDS, type EndpointId } from '../../contract/endpoints.js';
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
  /** With `after` the request is carried out before it is answered with the status. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number; readonly after?: true }
  | { readonly kind: 'drop-before' | 'drop-after' | 'garbage' | 'truncated' | 'silent' }
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'outcome'; readonly code: FailureCode; readonly reason: FailureReason }
  /** The bank does not answer until somebody settles the operation. */
  | { readonly kind: 'outcome'; readonly pending: true };

/** Faults that a delivery may meet. Unlike the faults of requests they belong to no route. */
export const DELIVERY_FAULTS = ['duplicate', 'reorder', 'hold', 'bad-signature', 'before-answer'] as const;
export type DeliveryFault = (typeof DELIVERY_FAULTS)[number];

export interface ArmedFault {
  readonly row: number;
  readonly route: EndpointId | '*';
  readonly fault: Fault;
  /** How many more requests will meet the fault. */
  readonly remaining: number;
  /** How many more requests pass before the fault applies. */
  readonly skip: number;
  /** Only requests with this reference meet the fault. Null: every request. */
  readonly match: string | null;
}

export interface ArmedDeliveryFault {
  readonly row: number;
  readonly delivery: DeliveryFault;
  /** How many more deliveries will meet the fault. */
  readonly remaining: number;
  /** Sandbox time in ms at which the fault ends and releases held deliveries; null: never. */
  readonly until: number | null;
}

export type NewFault = Omit<ArmedFault, 'row'> | Omit<ArmedDeliveryFault, 'row'>;

type Row = Omit<ArmedFault, 'route' | 'fault'> &
  Pick<ArmedDeliveryFault, 'until'> & { readonly route: ArmedFault['route'] | null; readonly fault: string };

const COLUMNS = 'row, route, fault, remaining, skip, match, until';

/** @param db the database in a transaction */
export function faultsIn(db: Database) {
  const select = (rest: string, ...values: SqlValue[]): (ArmedFault | ArmedDeliveryFault)[] =>
    db
      .query<Row>(`SELECT ${COLUMNS} FROM faults ${rest} ORDER BY row`)
      .all(...values)
      .map(fromRow);
  return {
    arm: (fault: NewFault) => void insertInto(db, 'faults', faultRow(fault)),
    /** The faults that requests to the route may meet, oldest first. */
    ofRoute: (route: EndpointId) => select("WHERE route IN (?, '*')", route) as ArmedFault[],
    /** The delivery faults armed at `atMs`, oldest first. */
    ofDeliveries: (atMs: number) =>
      select('WHERE route IS NULL AND (until IS NULL OR until > ?)', atMs) as ArmedDeliveryFault[],
    /** Faults of both kinds, oldest first. */
    all: () => select(''),
    /** Removes all faults and returns their number. */
    clear: () => db.run('DELETE FROM faults'),
    /** Counts a request or delivery that met the fault. */
    useUp: ({ row, remaining }: Pick<ArmedFault, 'row' | 'remaining'>) => {
      if (remaining > 1) db.run('UPDATE faults SET remaining = remaining - 1 WHERE row = ?', row);
      else db.run('DELETE FROM faults WHERE row = ?', row);
    },
    /** Lowers the number of requests that the fault lets through before it hits one. */
    countSkipped: ({ row }: ArmedFault) => {
      db.run('UPDATE faults SET skip = skip - 1 WHERE row = ?', row);
    },
    /** Removes the delivery faults that have ended. */
    removeExpired: (untilMs: number) => {
      db.run('DELETE FROM faults WHERE until <= ?', untilMs);
    },
  };
}

/** Makes the row of a fault, without its number. */
export function faultRow(armed: NewFault) {
  if (!('delivery' in armed)) return { ...armed, fault: JSON.stringify(armed.fault), until: null };
  const { delivery: fault, remaining, until } = armed;
  return { route: null, fault, remaining, skip: 0, match: null, until };
}

function fromRow({ row, route, fault, remaining, skip, match, until }: Row): ArmedFault | ArmedDeliveryFault {
  if (route === null) return { row, delivery: fault as DeliveryFault, remaining, until };
  return { row, route, fault: JSON.parse(fault) as Fault, remaining, skip, match };
}

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

/** Names of routes besides endpoint ids: the words of the path in camel case (`payins.resendCode`). */
const ROUTE_BY_NAME: ReadonlyMap<string, EndpointId> = new Map(
  ENDPOINT_IDS.flatMap((id): [string, EndpointId][] => namesOf(id).map((name) => [name, id])),
);

export const ROUTE_NAMES = [...ROUTE_BY_NAME.keys()];

/** Returns the endpoint of a name. Ids and `*` stay as they are. */
export function routeByName(name: string): EndpointId | '*' {
  return ROUTE_BY_NAME.get(name) ?? (name as EndpointId | '*');
}

/** `/v2/webhook-endpoints` by POST is `webhookEndpoints.create`, `/v2/payins/{id}/resend-code` is `payins.resendCode`. */
function namesOf(id: EndpointId): string[] {
  const { method, path } = endpoint(id);
  const [resource = '', ...rest] = path.replace(/^\/v2\//, '').split('/');
  const action = rest.find((word) => !word.startsWith('{'));
  const verb = action ?? (method === 'POST' ? 'create' : rest.length > 0 ? 'get' : 'list');
  const name = `${camelCase(resource)}.${camelCase(verb)}`;
  return ENDPOINT_IDS.includes(name as EndpointId) ? [] : [name];
}

function camelCase(words: string): string {
  return words.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
