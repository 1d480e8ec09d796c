/** What comes of a reconciliation: a finding for whatever differs, and sums for each currency that add up. */
import type { ComparedOperation, LedgerLine } from './line.js';

/** Worst first: where several fit, the first one counts. `only_here` and `only_there` are of what nothing was found for. */
export const FINDING_CLASSES = [
  'ambiguous',
  'duplicate_here',
  'duplicate_there',
  'amount_differs',
  'status_differs',
  'pending',
  'date_differs',
  'only_here',
  'only_there',
  'matched',
] as const;
export type FindingClass = (typeof FINDING_CLASSES)[number];

/** By what a line and an operation were brought together, in the order in which it is tried. */
export const MATCH_KEYS = ['id', 'reference', 'bank_reference'] as const;
export type MatchKey = (typeof MATCH_KEYS)[number];

export interface Finding {
  readonly class: FindingClass;
  /** Null where nothing was brought together. */
  readonly by: MatchKey | null;
  readonly here: readonly LedgerLine[];
  readonly there: readonly ComparedOperation[];
  /** The tolerances that were needed, as they were given: `VES:0.01`, `fee VES:0.5%`, `2 days`. */
  readonly tolerances: readonly string[];
  /** What covers it exactly and alone: never more than a suggestion. */
  readonly suggestion: Suggestion | null;
}

/** Several of one side whose sum is exactly what the other side has. */
export interface Suggestion {
  readonly lines: readonly number[];
  readonly operations: readonly string[];
}

/** How many of a class there are on each side in one currency, and how much that is, in decimal strings. */
export interface ClassSum {
  readonly class: FindingClass;
  /** Null for what names none. */
  readonly currency: string | null;
  readonly here: { readonly count: number; readonly amount: string };
  readonly there: { readonly count: number; readonly amount: string };
}

export interface Reconciliation {
  readonly agrees: boolean;
  readonly lines: number;
  readonly operations: number;
  /** Of each class that has any, in each currency; together they are all lines and all operations that are compared. */
  readonly sums: readonly ClassSum[];
}
