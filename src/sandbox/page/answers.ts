/** What the page asks the control for: each path below `/_control` with the type of what is answered there, which is taken at its word; members that the page does not show are not here. Pure. */
import type { LogRow, LogEntry, ExchangeSide } from '../log/logged.js';
import type { Environment } from '../../contract/access.js';

declare const answered: unique symbol;

export type Path<T> = string & { readonly [answered]: T };

export const COMPANIES = 'companies' as Path<{ readonly companies: readonly CompanyJson[] }>;
export const STATUS = 'status' as Path<{ readonly code: string }>;
export const CLOCK = 'clock' as Path<ClockNow>;
export const FAULTS = 'faults' as Path<{ readonly faults: readonly ArmedFault[] }>;

export const requestPath = (id: string): Path<LogEntry> =>
  `requests/${encodeURIComponent(id)}` as Path<LogEntry>;
export const operationPath = (id: string): Path<Listed> =>
  `operations/${encodeURIComponent(id)}` as Path<Listed>;
export const deliveryPath = (id: string): Path<DeliveryJson> =>
  `deliveries/${encodeURIComponent(id)}` as Path<DeliveryJson>;
export const explanationPath = (id: string): Path<SignatureExplanation> =>
  `deliveries/${encodeURIComponent(id)}/explanation` as Path<SignatureExplanation>;

/** The lists that come in pages, by the name of their wrapper. */
export interface Lists {
  readonly requests: LogRow;
  readonly operations: Listed;
  readonly deliveries: DeliveryJson;
}

export interface PageQuery {
  /** The id that it comes behind, in a list from new to old; from the newest unless given. */
  readonly before?: string | number;
  readonly limit: number;
  /** `&NAME=VALUE` and so on. */
  readonly filter?: string;
}

export type ListPage<Name extends keyof Lists> = Readonly<Record<Name, readonly Lists[Name][]>> & {
  /** Null where nothing comes behind it. */
  readonly next: string | number | null;
};

/** Newest first. */
export function pagePath<Name extends keyof Lists>(
  name: Name,
  { before = 'newest', limit, filter = '' }: PageQuery,
): Path<ListPage<Name>> {
  return `${name}?before=${String(before)}&limit=${String(limit)}${filter}` as Path<ListPage<Name>>;
}

export interface OperationJson {
  readonly id: string;
  readonly type: 'payin' | 'payout';
  readonly method: string;
  readonly country: string;
  readonly currency: string;
  readonly amount: string;
  readonly status: 'pending' | 'confirmed' | 'failed';
  readonly pending_reason: string | null;
  readonly reference?: string;
  readonly failure: { readonly code: string; readonly reason: string; readonly message: string } | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly confirmed_at?: string;
  /** Where a code is awaited. */
  readonly code_expires_at?: string;
}

export interface PaidFirst {
  readonly id: string;
  readonly reference: string | null;
  readonly company: string;
  readonly environment: Environment;
}

export interface Waiting {
  readonly kind: 'code' | 'payment' | 'bank';
  readonly until: string | null;
  /** The older pay-in that gets the same payment first; null for none, undefined where the list does not say. */
  readonly paid_first?: PaidFirst | null;
}

export interface Listed {
  readonly id: string;
  readonly environment: Environment;
  readonly company: string;
  readonly direction: string;
  readonly operation: OperationJson;
  readonly waits_for: Waiting | null;
  readonly requests?: readonly number[];
  readonly events?: readonly { readonly id: string; readonly type: string; readonly occurred_at: string }[];
  readonly deliveries?: readonly string[];
}

export interface AttemptJson {
  readonly at: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly ms?: number;
  readonly request?: ExchangeSide | null;
  readonly answer?: (ExchangeSide & { readonly status: number }) | null;
}

export interface DeliveryJson {
  readonly id: string;
  readonly event_id: string;
  readonly type: string;
  readonly url: string;
  readonly status: 'pending' | 'delivered' | 'exhausted';
  readonly attempts: readonly AttemptJson[];
  readonly next_attempt_at: string | null;
  /** Of the operation that the event is about; null for a ping. */
  readonly operation_id: string | null;
  readonly reference: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  /** Of the last attempt, in a word; null before one. */
  readonly result: string | null;
}

export interface Key {
  readonly api_key: string;
  readonly scopes: readonly string[];
  readonly created_by: string;
}

export interface CompanyJson {
  readonly name: string;
  readonly environment: Environment;
  readonly keys: readonly Key[];
  readonly balances: readonly {
    readonly currency: string;
    readonly available: string;
    readonly reserved: string;
  }[];
  readonly webhooks: readonly {
    readonly id: string;
    readonly url: string;
    readonly created_at: string;
    readonly replaced_at: string | null;
  }[];
}

/** What `webhooks verify --explain` says of the last attempt. */
interface SignatureExplanation {
  readonly valid: boolean;
  readonly steps: readonly { readonly check: string; readonly ok: boolean; readonly text: string }[];
}

/** Beside these, members of its kind. */
export interface ArmedFault {
  readonly id: number;
  /** Of requests, */
  readonly route?: string;
  readonly kind?: string;
  /** or of deliveries. */
  readonly delivery?: string;
  /** Null where only its end is set. */
  readonly remaining: number | null;
  /** When a fault of deliveries ends; null where no end is set. */
  readonly until?: string | null;
}

export interface ClockNow {
  readonly now: string;
  readonly next_due?: { readonly at: string; readonly what: string } | null;
}

export interface NewerPage<T> {
  readonly rows: readonly T[];
  /** Nothing comes behind it. */
  readonly isEnd: boolean;
}

/**
 * The page is right from there on, as far down as it reaches: a row that it does not have is gone. A page from the top that has none of the
 * rows replaces the list.
 */
export function spliced<T extends { readonly id: string }>(
  rows: readonly T[],
  at: number,
  page: NewerPage<T>,
): readonly T[] {
  const oldest = page.rows.at(-1);
  if (page.isEnd || oldest === undefined) return [...rows.slice(0, at), ...page.rows];
  const known = new Set(page.rows.map(({ id }) => id));
  const rest = rows.slice(at);
  if (at === 0 && !rest.some(({ id }) => known.has(id))) return page.rows;
  const last = rest.findLastIndex(({ id }) => known.has(id));
  const older = rest.slice(last + 1);
  return [...rows.slice(0, at), ...page.rows, ...older];
}

/** The rows that somebody has before them: those that were there, then those that came. */
export interface HeldRows<T> {
  readonly first: number;
  readonly rows: readonly T[];
}

/** Rows that are held keep their places, each as new as it is known: what came since, newest first, goes behind them. */
export function heldWith<T extends { readonly id: string }>(
  { first, rows }: HeldRows<T>,
  now: readonly T[],
): HeldRows<T> {
  const byId = new Map(now.map((row) => [row.id, row]));
  const known = new Set(rows.map(({ id }) => id));
  const came = now.filter(({ id }) => !known.has(id)).toReversed();
  return { first, rows: [...rows.map((row) => byId.get(row.id) ?? row), ...came] };
}
