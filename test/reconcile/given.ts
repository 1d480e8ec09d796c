import type { Finding, FindingClass, Reconciliation } from '../../src/reconcile/finding.js';
import type { ComparedOperation, LedgerLine } from '../../src/reconcile/line.js';

export const OPERATION_ID = '0192f0c4-1111-7aaa-8bbb-00000000000';

export function lineOf(given: Partial<LedgerLine> = {}): LedgerLine {
  return {
    ...{ line: 2, id: null, reference: 'inv-1', bankReference: null, direction: 'payout', isNegative: false },
    ...{ currency: 'VES', amount: '10.00', date: '2026-11-20' },
    ...given,
  };
}

export function operationOf(given: Partial<ComparedOperation> = {}): ComparedOperation {
  return {
    ...{ id: `${OPERATION_ID}1`, direction: 'payout', status: 'confirmed', reference: 'inv-1' },
    ...{ bankReference: null, currency: 'VES', amount: '10.00', date: '2026-11-20' },
    ...given,
  };
}

export function findingOf(kind: FindingClass, given: Partial<Finding> = {}): Finding {
  return {
    ...{ class: kind, by: 'reference', here: [lineOf()], there: [operationOf()], beside: null },
    ...{ tolerances: [], suggestion: null },
    ...given,
  };
}

export const HOSTILE = [
  '</script><script>window.hit=1</script>',
  '<img src=x onerror="window.hit=1">',
  '\'"><svg onload=window.hit=1>',
  '<!--<script>',
  '\u202egnp.exe\u202c',
  '=HYPERLINK("https://attacker.example")',
  '-rf',
];

export const NOTHING = { count: 0, amount: '0.00' };

export function resultOf(given: Partial<Reconciliation> = {}): Reconciliation {
  const side = { count: 1, amount: '10.00' };
  return {
    ...{ agrees: false, lines: 1, operations: 1, outside: { lines: 0, operations: 0 }, failed: 0 },
    tolerated: 0,
    sums: [{ class: 'amount_differs', currency: 'VES', here: side, there: side }],
    totals: [{ currency: 'VES', here: side, there: side, pending: NOTHING, failed: NOTHING }],
    ...given,
  };
}
