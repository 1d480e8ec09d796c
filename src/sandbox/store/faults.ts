/** The armed faults: what happens to the next requests of a route, in the order in which they were armed. */
import type { EndpointId } from '../../contract/endpoints.js';
import type { FailureCode, FailureReason } from '../../contract/failures.js';
import type { Database } from '../../runtime/database.js';

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
      db.run(
        'INSERT INTO faults (route, fault, remaining) VALUES (?, ?, ?)',
        route,
        JSON.stringify(fault),
        count,
      );
    },
    of: (route) =>
      db
        .query<Row>("SELECT row, route, fault, remaining FROM faults WHERE route IN (?, '*') ORDER BY row")
        .all(route)
        .map((row) => ({ ...row, fault: JSON.parse(row.fault) as Fault })),
    spend: ({ row, remaining }) => {
      if (remaining > 1) db.run('UPDATE faults SET remaining = remaining - 1 WHERE row = ?', row);
      else db.run('DELETE FROM faults WHERE row = ?', row);
    },
  };
}
