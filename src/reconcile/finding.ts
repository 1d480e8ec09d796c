import type { ComparedOperation, LedgerLine } from './line.js';

/** The worst class comes first, because a line that fits several classes gets the first of them. */
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

export const MATCH_KEYS = ['id', 'reference', 'bank_reference'] as const;
export type MatchKey = (typeof MATCH_KEYS)[number];

export interface Finding {
  readonly class: FindingClass;
  readonly by: MatchKey | null;
  readonly here: readonly LedgerLine[];
  readonly there: readonly ComparedOperation[];
  readonly beside: NamedEntries | null;
  readonly tolerances: readonly string[];
  readonly suggestion: NamedEntries | null;
}

export interface NamedEntries {
  readonly lines: readonly number[];
  readonly operations: readonly string[];
}

export interface ClassSum {
  readonly class: FindingClass;
  readonly currency: string | null;
  readonly here: { readonly count: number; readonly amount: string };
  readonly there: { readonly count: number; readonly amount: string };
}

export type CurrencySum = Pick<ClassSum, 'currency' | 'here' | 'there'> &
  Readonly<Record<'pending' | 'failed', ClassSum['here']>>;

export interface Reconciliation {
  /** True if nothing differs, even if pending operations have no line. */
  readonly agrees: boolean;
  readonly lines: number;
  readonly operations: number;
  readonly outside: { readonly lines: number; readonly operations: number };
  readonly failed: number;
  readonly tolerated: number;
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
