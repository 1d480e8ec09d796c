/** The armed faults of the next requests of a route, in the order in which they were armed, and the names of routes. */
import { endpoint, ENDPOINT_IDS, type EndpointId } from '../../contract/endpoints.js';
import type { FailureCode, FailureReason } from '../../contract/failures.js';
import type { Database } from '../../runtime/database.js';
import { insertInto } from './rows.js';

export const FAULT_KINDS = ['status', 'drop-before', 'drop-after', 'delay', 'garbage', 'outcome'] as const;

export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number }
  | { readonly kind: 'drop-before' | 'drop-after' | 'garbage' }
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'outcome'; readonly code: FailureCode; readonly reason: FailureReason };

export interface Armed {
  readonly row: number;
  readonly route: EndpointId | '*';
  readonly fault: Fault;
  /** How many requests it will still meet. */
  readonly remaining: number;
}

export interface Faults {
  arm(route: EndpointId | '*', fault: Fault, count: number): void;
  /** The armed faults of a route, oldest first. */
  of(route: EndpointId): Armed[];
  /** Every one, oldest first. */
  all(): Armed[];
  /** Disarms every one, and says how many there were. */
  clear(): number;
  /** One request met it. */
  spend(armed: Armed): void;
}

interface Row extends Omit<Armed, 'fault'> {
  readonly fault: string;
}

/** @param db the database in a transaction */
export function faultsIn(db: Database): Faults {
  return {
    arm: (route, fault, count) => {
      insertInto(db, 'faults', { route, fault: JSON.stringify(fault), remaining: count });
    },
    of: (route) =>
      db
        .query<Row>("SELECT row, route, fault, remaining FROM faults WHERE route IN (?, '*') ORDER BY row")
        .all(route)
        .map(fromRow),
    all: () =>
      db.query<Row>('SELECT row, route, fault, remaining FROM faults ORDER BY row').all().map(fromRow),
    clear: () => db.run('DELETE FROM faults'),
    spend: ({ row, remaining }) => {
      if (remaining > 1) db.run('UPDATE faults SET remaining = remaining - 1 WHERE row = ?', row);
      else db.run('DELETE FROM faults WHERE row = ?', row);
    },
  };
}

function fromRow(row: Row): Armed {
  return { ...row, fault: JSON.parse(row.fault) as Fault };
}

/** Beside its endpoint's id the words of its path in camel case (`payins.resendCode`). */
const BY_NAME: ReadonlyMap<string, EndpointId> = new Map(
  ENDPOINT_IDS.flatMap((id): [string, EndpointId][] => namesOf(id).map((name) => [name, id])),
);

/** Every such name that is no id. */
export const NAMED_ROUTES = [...BY_NAME.keys()];

/** The endpoint of a name; an id and `*` are what they are. */
export function routeNamed(name: string): EndpointId | '*' {
  return BY_NAME.get(name) ?? (name as EndpointId | '*');
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
