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
  /** A line and an operation of the same amount, or of the same name but for leading zeros: never more than a suggestion. */
  readonly suggestion: Named | null;
}

/** Lines by their numbers, operations by their ids. */
export interface Named {
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

/** All classes of a currency: `there` is what was confirmed, and `pending` what is not final. */
export type CurrencySum = Pick<ClassSum, 'currency' | 'here' | 'there'> &
  Readonly<Record<'pending' | 'failed', ClassSum['here']>>;

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
