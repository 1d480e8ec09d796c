/** What the page asks the control for: each path below `/_control` with the type of what is answered there, which is taken at its word. */
import type { Logged, LoggedWhole } from '../log/logged.js';
import type {
  ArmedFault,
  ClockNow,
  CompanyJson,
  DeliveryJson,
  SignatureExplanation,
  Listed,
} from './types.js';

declare const answered: unique symbol;

export type Path<T> = string & { readonly [answered]: T };

export const COMPANIES = 'companies' as Path<{ readonly companies: readonly CompanyJson[] }>;
export const STATUS = 'status' as Path<{ readonly code: string }>;
export const CLOCK = 'clock' as Path<ClockNow>;
export const FAULTS = 'faults' as Path<{ readonly faults: readonly ArmedFault[] }>;

export const requestPath = (id: string): Path<LoggedWhole> =>
  `requests/${encodeURIComponent(id)}` as Path<LoggedWhole>;
export const operationPath = (id: string): Path<Listed> =>
  `operations/${encodeURIComponent(id)}` as Path<Listed>;
export const deliveryPath = (id: string): Path<DeliveryJson> =>
  `deliveries/${encodeURIComponent(id)}` as Path<DeliveryJson>;
export const explanationPath = (id: string): Path<SignatureExplanation> =>
  `deliveries/${encodeURIComponent(id)}/explanation` as Path<SignatureExplanation>;

/** The lists that come in pages, by the name of their wrapper. */
export interface Lists {
  readonly requests: Logged;
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
