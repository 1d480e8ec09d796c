import type { Environment } from '../../contract/access.js';
import type { Balance, Bank } from '../../contract/catalog.js';
import type { Operation } from '../../contract/operation-members.js';
import type { LogRow, LogEntry, ExchangeSide } from '../log/logged.js';
import type { AttemptRow, DeliveryRow, SandboxOperation } from '../testing/types.js';

declare const answerType: unique symbol;

export type ApiPath<T> = string & { readonly [answerType]: T };

export const COMPANIES_PATH = 'companies' as ApiPath<{ readonly companies: readonly CompanyJson[] }>;
export const STATUS_PATH = 'status' as ApiPath<{ readonly code: string }>;
export const CLOCK_PATH = 'clock' as ApiPath<ClockNow>;
export const FAULTS_PATH = 'faults' as ApiPath<{ readonly faults: readonly ListedFault[] }>;

export const requestPath = (id: string) => `requests/${encodeURIComponent(id)}` as ApiPath<LogEntry>;
export const operationPath = (id: string) => `operations/${encodeURIComponent(id)}` as ApiPath<OperationItem>;
export const deliveryPath = (id: string) => `deliveries/${encodeURIComponent(id)}` as ApiPath<DeliveryJson>;
export const explanationPath = (id: string) =>
  `deliveries/${encodeURIComponent(id)}/explanation` as ApiPath<SignatureExplanation>;
export const banksPath = (country: string, method: string) =>
  `banks?${queryText({ country, method })}` as ApiPath<{ readonly banks: Bank[] }>;

export interface Lists {
  readonly requests: LogRow;
  readonly operations: OperationItem;
  readonly deliveries: DeliveryJson;
}

export interface PageQuery {
  readonly before?: string | number;
  readonly after?: string | number;
  readonly limit: number;
}

export type ListPage<Name extends keyof Lists> = Readonly<Record<Name, readonly Lists[Name][]>> & {
  readonly next: string | number | null;
  readonly counts?: readonly OperationCount[];
};

export interface OperationCount extends Pick<OperationItem, 'company' | 'environment'> {
  readonly count: number;
}

export function pagePath<Name extends keyof Lists>(
  name: Name,
  { after, before = 'newest', limit }: PageQuery,
  filter: string,
): ApiPath<ListPage<Name>> {
  const start = after === undefined ? `before=${String(before)}` : `after=${String(after)}`;
  const bodies = name === 'deliveries' ? '&bodies=false' : '';
  const query = `${start}&limit=${String(limit)}${bodies}${filter === '' ? '' : `&${filter}`}`;
  return `${name}?${query}` as ApiPath<ListPage<Name>>;
}

export function queryText(values: Readonly<Record<string, string | null | undefined>>): string {
  const entries = Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return new URLSearchParams(entries).toString();
}

export type OlderPayin = NonNullable<NonNullable<SandboxOperation['waits_for']>['paid_first']>;

export interface OperationItem extends Omit<SandboxOperation, 'direction' | 'operation'> {
  readonly operation: Operation;
  readonly requests?: readonly number[];
  readonly events?: readonly { readonly id: string; readonly type: string; readonly occurred_at: string }[];
  readonly deliveries?: readonly string[];
}

export interface AttemptJson extends AttemptRow {
  readonly request: ExchangeSide | null;
  readonly answer: (ExchangeSide & { readonly status: number }) | null;
}

export interface DeliveryJson extends DeliveryRow {
  readonly attempts: readonly AttemptJson[];
}

export interface CompanyJson {
  readonly name: string;
  readonly environment: Environment;
  readonly keys: readonly {
    readonly api_key: string;
    readonly scopes: readonly string[];
    readonly created_by: string;
  }[];
  readonly balances: readonly Balance[];
  readonly webhooks: readonly {
    readonly id: string;
    readonly url: string;
    readonly created_at: string;
    readonly replaced_at: string | null;
  }[];
}

/** Two companies of different environments may have the same name. */
export const companyText = ({ name, environment }: Pick<CompanyJson, 'name' | 'environment'>): string =>
  `${name}, ${environment}`;

interface SignatureExplanation {
  readonly valid: boolean;
  readonly steps: readonly { readonly check: string; readonly ok: boolean; readonly text: string }[];
}

export interface ListedFault {
  readonly id: number;
  readonly route?: string;
  readonly kind?: string;
  readonly delivery?: string;
  readonly remaining: number;
  readonly until?: string | null;
}

export interface ClockNow {
  readonly now: string;
  readonly next_due?: { readonly at: string; readonly what: string; readonly reference?: string } | null;
}

export interface RowPage<T> {
  readonly rows: readonly T[];
  readonly isEnd: boolean;
}

export function mergePage<T extends { readonly id: string | number }>(
  rows: readonly T[],
  at: number,
  page: RowPage<T>,
): readonly T[] {
  const oldest = page.rows.at(-1);
  if (page.isEnd || oldest === undefined) return [...rows.slice(0, at), ...page.rows];
  const knownIds = new Set(page.rows.map(({ id }) => id));
  const rest = rows.slice(at);
  if (at === 0 && !rest.some(({ id }) => knownIds.has(id))) return page.rows;
  const last = rest.findLastIndex(({ id }) => knownIds.has(id));
  return [...rows.slice(0, at), ...page.rows, ...rest.slice(last + 1)];
}

export interface HeldRows<T> {
  readonly oldCount: number;
  readonly rows: readonly T[];
}

export function updateHeldRows<T extends { readonly id: string }>(
  { oldCount, rows }: HeldRows<T>,
  currentRows: readonly T[],
): HeldRows<T> {
  const byId = new Map(currentRows.map((row) => [row.id, row]));
  const knownIds = new Set(rows.map(({ id }) => id));
  const newRows = currentRows.filter(({ id }) => !knownIds.has(id)).toReversed();
  return { oldCount, rows: [...rows.map((row) => byId.get(row.id) ?? row), ...newRows] };
}
