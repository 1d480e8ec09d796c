/** The armed faults of the next requests of a route and of the next deliveries, in the order in which they were armed, and the names of routes. */
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
  /** `after`: the request is carried out all the same. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfter?: number;
      readonly after?: true;
    }
  | { readonly kind: 'drop-before' | 'drop-after' | 'garbage' | 'truncated' | 'silent' }
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'outcome'; readonly code: FailureCode; readonly reason: FailureReason }
  /** The bank gives no answer until somebody settles the operation. */
  | { readonly kind: 'outcome'; readonly pending: true };

/** What can go wrong with deliveries, whatever request brought them. */
export const DELIVERY_FAULTS = ['duplicate', 'reorder', 'hold', 'bad-signature', 'before-answer'] as const;
export type DeliveryFault = (typeof DELIVERY_FAULTS)[number];

export interface Armed {
  readonly row: number;
  readonly route: EndpointId | '*';
  readonly fault: Fault;
  /** How many requests it will still meet. */
  readonly remaining: number;
  /** How many requests pass before the first that it meets. */
  readonly skip: number;
  /** It meets only requests of this reference; null: any. */
  readonly match: string | null;
}

export interface ArmedDelivery {
  readonly row: number;
  readonly delivery: DeliveryFault;
  /** How many deliveries it will still meet. */
  readonly remaining: number;
  /** Sandbox time in ms at which it is over, and lets go what it holds; null: never. */
  readonly until: number | null;
}

interface Row {
  readonly row: number;
  readonly route: EndpointId | '*' | null;
  readonly fault: string;
  readonly remaining: number;
  readonly skip: number;
  readonly match: string | null;
  readonly until: number | null;
}

const COLUMNS = 'row, route, fault, remaining, skip, match, until';

/** @param db the database in a transaction */
export function faultsIn(db: Database) {
  const select = (rest: string, ...values: SqlValue[]): (Armed | ArmedDelivery)[] =>
    db
      .query<Row>(`SELECT ${COLUMNS} FROM faults ${rest} ORDER BY row`)
      .all(...values)
      .map(fromRow);
  return {
    arm: ({ fault, ...armed }: Omit<Armed, 'row'>) => {
      insertInto(db, 'faults', { ...armed, fault: JSON.stringify(fault) });
    },
    armDelivery: ({ delivery, ...armed }: Omit<ArmedDelivery, 'row'>) => {
      insertInto(db, 'faults', { ...armed, fault: delivery });
    },
    /** The armed faults of a route, oldest first. */
    of: (route: EndpointId) => select("WHERE route IN (?, '*')", route) as Armed[],
    /** The delivery faults that are armed at that moment, oldest first. */
    ofDeliveries: (atMs: number) =>
      select('WHERE route IS NULL AND (until IS NULL OR until > ?)', atMs) as ArmedDelivery[],
    /** Every one of both kinds, oldest first. */
    all: () => select(''),
    /** Disarms every one, and says how many there were. */
    clear: () => db.run('DELETE FROM faults'),
    /** One request or delivery met it. */
    spend: ({ row, remaining }: Pick<Armed, 'row' | 'remaining'>) => {
      if (remaining > 1) db.run('UPDATE faults SET remaining = remaining - 1 WHERE row = ?', row);
      else db.run('DELETE FROM faults WHERE row = ?', row);
    },
    /** One request passed it. */
    pass: ({ row }: Armed) => {
      db.run('UPDATE faults SET skip = skip - 1 WHERE row = ?', row);
    },
    /** Removes the delivery faults that are over by then. */
    drop: (untilMs: number) => {
      db.run('DELETE FROM faults WHERE until <= ?', untilMs);
    },
  };
}

function fromRow({ row, route, fault, remaining, skip, match, until }: Row): Armed | ArmedDelivery {
  if (route === null) return { row, delivery: fault as DeliveryFault, remaining, until };
  return { row, route, fault: JSON.parse(fault) as Fault, remaining, skip, match };
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
