/** The table of armed faults, in the order in which they were armed, and the names of routes. */
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
    /** Counts a request that passed the fault. */
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
