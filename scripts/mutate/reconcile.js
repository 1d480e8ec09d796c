import { heldBy } from './mutant.js';
import { reconcileFiles } from './reconcile-files.js';
import { reconcileMatch } from './reconcile-match.js';

const line = heldBy('reconcile/line');
const shown = heldBy('reconcile/findings-shown');
const detail = heldBy('reconcile/findings-shown');
const summary = heldBy('reconcile/summary');
const report = heldBy('reconcile/report/document');
const text = heldBy('reconcile/report/document');
const rows = heldBy('reconcile/report/page/rows');

export const reconcile = [
  line('directionOf', 'a sign says a direction in a file that has none', [
    'direction !== null || !hasNegatives',
    'direction !== null',
  ]),
  shown('searchTextOf', 'what is typed next for a name with a mark of direction is another name', [
    "text.trim() !== '' && !hasUnseen(text)",
    "text.trim() !== ''",
  ]),
  shown('nextCommandOf', 'an id that is none stands in a line as it came', [
    'hasOneOperation && isUuid(operation.id)',
    'hasOneOperation',
  ]),
  shown('nextCommandOf', 'a name that begins with a dash is read as a flag', [
    "where, ['--', text]",
    'where, [text.slice(0)]',
  ]),
  shown('padAmount', 'an amount of the ledger loses its last digits', [
    "fraction.padEnd(decimals, '0')",
    'fraction.slice(0, decimals)',
  ]),
  detail('amountDifference', 'more here is said to be less', [
    "difference.startsWith('-') ? 'less' : 'more'",
    "difference.startsWith('-') ? 'more' : 'less'",
  ]),
  detail('suggestionText', 'a suggestion is said as a fact', ['`a suggestion: only', '`only']),
  summary('totalRows', 'what failed has no row', ['sum.count === 0 ?', 'sum.count > -1 ?']),
  detail('differences', 'that it failed is not said beside an amount', [
    "operation.status === 'confirmed' ?",
    'line.amount !== operation.amount ?',
  ]),
  report('policy', 'a script of anybody runs in a report', [
    "`script-src '${hashOf(script)}'`",
    "'script-src *'",
  ]),
  text('inScript', 'a text ends the element that it stands in', ['/[<>&]/g', '/[&]/g']),
  text('inHtml', 'a mark of direction turns a line of the report', [
    'showUnseen(text).replace(/[&<>',
    'text.replace(/[&<>',
  ]),
  rows('sortableNumber', 'money is sorted as text', ["whole.padStart(SORTABLE_DIGITS, '0')", 'whole']),
  rows('selectRows', 'a filter of classes shows the others', [
    'classes.has(row.finding.class)',
    '!classes.has(row.finding.class)',
  ]),
  ...reconcileFiles,
  ...reconcileMatch,
  detail('shortList', 'more than five are said where there are five', ['more > 0', 'more >= 0']),
];
