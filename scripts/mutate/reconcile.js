/** Mistakes in what compares a ledger with the service. */
import { inFile } from './mutant.js';
import { reconcileFiles } from './reconcile-files.js';
import { reconcileMatch } from './reconcile-match.js';

const line = inFile('reconcile/line.ts', 'reconcile/line');
const shown = inFile('reconcile/shown.ts', 'reconcile/shown');
const detail = inFile('reconcile/detail.ts', 'reconcile/shown');
const summary = inFile('reconcile/summary.ts', 'reconcile/summary');
const report = inFile('reconcile/report/document.ts', 'reconcile/report/document');
const text = inFile('reconcile/report/text.ts', 'reconcile/report/document');
const rows = inFile('reconcile/report/page/rows.ts', 'reconcile/report/page/rows');

export const reconcile = [
  line('a sign says a direction in a file that has none', [
    'direction !== null || !hasNegatives',
    'direction !== null',
  ]),
  shown('what is typed next for a name with a mark of direction is another name', [
    "text.trim() !== '' && !hasUnseen(text)",
    "text.trim() !== ''",
  ]),
  shown('an id that is none stands in a line as it came', ['isOne && isUuid(operation.id)', 'isOne']),
  shown('a name that begins with a dash is read as a flag', [
    "where, ['--', sought]",
    'where, [sought.slice(0)]',
  ]),
  shown('an amount of the ledger loses its last digits', [
    "fraction.padEnd(decimals, '0')",
    'fraction.slice(0, decimals)',
  ]),
  detail('more here is said to be less', [
    "difference.startsWith('-') ? 'less' : 'more'",
    "difference.startsWith('-') ? 'more' : 'less'",
  ]),
  detail('a suggestion is said as a fact', ['`a suggestion: ${many}', '`${many}']),
  summary('the total of a currency holds those of others', [
    'sum.currency === currency',
    'sum.currency !== null',
  ]),
  report('a script of anybody runs in a report', ["`script-src '${printOf(script)}'`", "'script-src *'"]),
  text('a text ends the element that it stands in', ['/[<>&]/g', '/[&]/g']),
  text('a mark of direction turns a line of the report', [
    'showUnseen(text).replace(/[&<>',
    'text.replace(/[&<>',
  ]),
  rows('money is sorted as text', ["whole.padStart(DIGITS, '0')", 'whole']),
  rows('a filter of classes shows the others', [
    'classes.has(row.finding.class)',
    '!classes.has(row.finding.class)',
  ]),
  ...reconcileFiles,
  ...reconcileMatch,
];
