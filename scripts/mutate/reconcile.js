/** Mistakes in what compares a ledger with the service. */
import { inFile } from './mutant.js';
import { reconcileFiles } from './reconcile-files.js';

const line = inFile('reconcile/line.ts', 'reconcile/line');

export const reconcile = [
  line('a sign says a direction in a file that has none', [
    'direction !== null || !hasNegatives',
    'direction !== null',
  ]),
  ...reconcileFiles,
];
