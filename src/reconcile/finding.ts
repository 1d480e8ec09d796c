/** The result of a reconciliation: a finding for each difference, and sums for each currency that add up. */
import type { ComparedOperation, LedgerLine } from './line.js';

/** Worst first: where several fit, the first one counts. `only_here` and `only_there` are of what nothing was left for. */
export const FINDING_CLASSES = [
  'ambiguous',
  'duplicate_here',
  'duplicate_there',
  'status_differs',
  'amount_differs',
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
  /** Each line and each operation is in one finding only: their sums are the sums of both sides. */
  readonly here: readonly LedgerLine[];
  readonly there: readonly ComparedOperation[];
  /**
   * Related entries of other findings: for a duplicate the original; for a line the one that took its operation; for names of several
   * payments the others.
   */
  readonly beside: Named | null;
  /** The tolerances that were needed, as they were given: `VES:0.01`, `fee VES:0.5%`, `2 days`. */
  readonly tolerances: readonly string[];
  /** What covers it exactly and alone: never more than a suggestion. */
  readonly suggestion: Suggestion | null;
}

/** Lines by their numbers, operations by their ids. */
export interface Named {
  readonly lines: readonly number[];
  readonly operations: readonly string[];
}

/** One of one side and one or several of the other, whose sum is exactly the same. */
export interface Suggestion extends Named {
  /** They have one name but for its leading zeros, whatever their amounts. */
  readonly isByName: boolean;
}

/** How many there are, and how much that is, in a decimal string. */
export interface Sum {
  readonly count: number;
  readonly amount: string;
}

/** What of a class there is on each side in one currency. */
export interface ClassSum {
  readonly class: FindingClass;
  /** Null for what names none. */
  readonly currency: string | null;
  readonly here: Sum;
  readonly there: Sum;
}

/** All classes of a currency together. Of the service only what was confirmed is paid: `there`. */
export interface CurrencySum extends Omit<ClassSum, 'class'> {
  /** Every operation that is not final. */
  readonly pending: Sum;
  readonly failed: Sum;
}

export interface Reconciliation {
  /** False when anything differs. A pending operation without a line does not differ. */
  readonly agrees: boolean;
  /** How many were compared. */
  readonly lines: number;
  readonly operations: number;
  /** How many were not: outside `from` and `to` with all that belongs to them; failed, and named by no line. */
  readonly outside: { readonly lines: number; readonly operations: number };
  readonly failed: number;
  /** Of those that match, how many did so within a tolerance. */
  readonly tolerated: number;
  /** Of each class that has any, in each currency; together they are all lines and all operations that are compared. */
  readonly sums: readonly ClassSum[];
  readonly totals: readonly CurrencySum[];
}

const WORDS: Readonly<Partial<Record<FindingClass, string>>> = {
  duplicate_here: 'twice in your file',
  duplicate_there: 'twice in the service',
  only_here: 'only in your file',
  only_there: 'only in the service',
};

export function classWords(kind: FindingClass): string {
  return WORDS[kind] ?? kind.replaceAll('_', ' ');
}
