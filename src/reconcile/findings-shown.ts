import { flagWords, svcLine } from '../runtime/shell.js';
import type { Direction } from '../contract/operation.js';
import { isUuid } from '../contract/notation.js';
import { counted, hasUnseen } from '../contract/on-screen.js';
import type { Finding, NamedEntries, Reconciliation, CurrencySum } from './finding.js';
import { directionOf, type ComparedOperation, type LedgerLine } from './line.js';
import { isDecimal, sumDecimals } from '../contract/money.js';
import { foldReference } from '../contract/reference.js';
import type { MatchRules } from './rules.js';

interface ViewContext {
  readonly where: readonly string[];
  readonly hasNegatives: boolean;
  readonly direction?: Direction | null;
  readonly currency: string | null;
  readonly decimals: ReadonlyMap<string | null, number>;
}

export function shownFinding(finding: Finding, context: ViewContext) {
  const here = finding.here.map((line) => shownLine(line, context));
  return {
    class: finding.class,
    by: finding.by,
    detail: detailOf(finding, here),
    here,
    there: finding.there.map(shownOperation),
    beside: finding.beside,
    tolerances: finding.tolerances,
    suggestion: finding.suggestion,
    next_command: nextCommandOf(finding, context.where),
  };
}
export type ShownFinding = ReturnType<typeof shownFinding>;

type ShownLine = ReturnType<typeof shownLine>;

function shownLine(ledgerLine: LedgerLine, context: ViewContext) {
  const { hasNegatives, currency: assumed, decimals } = context;
  const { line, id, reference, bankReference, date } = ledgerLine;
  const currency = ledgerLine.currency ?? assumed;
  const amount = padAmount(ledgerLine.amount, decimals.get(currency) ?? 0);
  const direction = directionOf(ledgerLine, hasNegatives) ?? context.direction ?? null;
  return { line, id, reference, bank_reference: bankReference, direction, currency, amount, date };
}

function padAmount(amount: string, decimals: number): string {
  const [whole = '', fraction = ''] = amount.split('.');
  return decimals === 0 ? amount : `${whole}.${fraction.padEnd(decimals, '0')}`;
}

function shownOperation(operation: ComparedOperation) {
  const { id, direction, status, reference, bankReference, currency, amount, date } = operation;
  return { id, direction, status, reference, bank_reference: bankReference, currency, amount, date };
}

function nextCommandOf({ class: kind, by, here, there }: Finding, where: readonly string[]): string | null {
  const [line, ...otherLines] = here;
  const [operation, ...others] = there;
  const hasOneOperation = operation !== undefined && others.length === 0 && kind !== 'ambiguous';
  if (hasOneOperation && isUuid(operation.id)) return svcLine('transactions get', where, [operation.id]);
  const text = searchTextOf(line ?? operation, by) ?? searchTextOf(operation ?? otherLines[0], by);
  if (text !== null) return svcLine('operations find', where, ['--', text]);
  const date = line?.date ?? null;
  return date === null ? null : svcLine('operations list', [...flagWords('--since', date), ...where]);
}

function searchTextOf(entry: LedgerLine | ComparedOperation | undefined, by: Finding['by']): string | null {
  if (entry === undefined) return null;
  const { id, reference, bankReference } = entry;
  const first = { id, reference, bank_reference: bankReference, none: null }[by ?? 'none'];
  const texts = [first, reference, bankReference, id].filter((text) => text !== null);
  // A text with invisible characters is left out, because a user could not copy it from the terminal.
  return texts.find((text) => text.trim() !== '' && !hasUnseen(text)) ?? null;
}

function detailOf(finding: Finding, here: readonly ShownLine[]): string {
  const { there, tolerances, suggestion } = finding;
  const [line, operation] = [here[0], there[0]];
  const isPair = line !== undefined && operation !== undefined && here.length + there.length === 2;
  return [
    ...reasonOf(finding, isPair),
    ...(isPair ? differences(line, operation) : []),
    ...(tolerances.length === 0 ? [] : [`within ${tolerances.join(', ')}`]),
    ...(suggestion === null ? [] : [suggestionText(suggestion)]),
  ].join('; ');
}

function reasonOf(finding: Finding, isPair: boolean): string[] {
  const { class: kind, beside } = finding;
  if (kind === 'ambiguous') {
    if (isPair) return contradictions(finding);
    const { here, there, by } = finding;
    const ofKey = by === null ? '' : ` of one ${by.replace('_', ' ')}`;
    return [
      `${counted(here.length, 'line')} and ${counted(there.length, 'operation')}${ofKey} fit each other`,
    ];
  }
  if (kind === 'duplicate_here' || kind === 'duplicate_there') {
    const side = kind === 'duplicate_here' ? 'your file' : 'the service';
    return [beside === null ? `${side} has it already` : `repeats ${entriesText(beside)}`];
  }
  return beside === null ? [] : [`what it names belongs to ${entriesText(beside)}`];
}

function contradictions({ here, there, beside }: Finding): string[] {
  const [line, operation] = [here[0], there[0]];
  if (line === undefined || operation === undefined) return [];
  const fold = (text: string | null): string => foldReference(text ?? '');
  const namePairs = [
    ['id', line.id, operation.id],
    ['reference', line.reference, operation.reference],
    ['bank reference', line.bankReference, operation.bankReference],
  ] as const;
  const otherNames = namePairs
    .filter(([, lineName, operationName]) => lineName !== null && fold(lineName) !== fold(operationName))
    .map(([label]) => label);
  const what = `its ${otherNames.join(' and ')} ${otherNames.length === 1 ? 'is not that' : 'are not those'} of the operation`;
  const verb = otherNames.length === 1 ? 'names' : 'name';
  return [beside === null ? what : `${what}, and ${verb} ${entriesText(beside)}`];
}

function differences(line: ShownLine, operation: ComparedOperation): string[] {
  return [
    ...(operation.status === 'confirmed' ? [] : [`the service says ${operation.status}`]),
    ...textDifference(line.direction, operation.direction),
    ...textDifference(line.currency, operation.currency),
    ...amountDifference(line, operation),
    ...(operation.date === null ? [] : textDifference(line.date, operation.date)),
  ];
}

function textDifference(here: string | null, there: string | null): string[] {
  return here === null || here === there ? [] : [`${here} in your file, ${there ?? 'none'} in the service`];
}

function amountDifference(line: ShownLine, { amount, currency }: ComparedOperation): string[] {
  if (amount === null || !isDecimal(amount) || !isDecimal(line.amount)) return [];
  if (line.currency !== null && line.currency !== currency) return [];
  const difference = sumDecimals([line.amount, amount.startsWith('-') ? amount.slice(1) : `-${amount}`]);
  const size = difference.replace('-', '');
  if (/^[0.]*$/.test(size)) return [];
  const what = difference.startsWith('-') ? 'less' : 'more';
  return [`${size} ${currency ?? ''} ${what} in your file`.replace('  ', ' ')];
}

const LISTED_MAX = 5;

function suggestionText({ lines, operations }: NamedEntries): string {
  return `a suggestion: only operation ${operations.join()} has exactly the amount of line ${lines.join()}, or its number but for leading zeros`;
}

function entriesText({ lines, operations }: NamedEntries): string {
  const part = (word: string, all: readonly string[]): string[] =>
    all.length === 0 ? [] : [`${word}${all.length === 1 ? '' : 's'} ${shortList(all)}`];
  return [...part('line', lines.map(String)), ...part('operation', operations)].join(' and ');
}

function shortList(all: readonly string[]): string {
  const more = all.length - LISTED_MAX;
  return `${all.slice(0, LISTED_MAX).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
}

export function shownSummary(
  { agrees, lines, operations, outside, failed, tolerated, sums, totals }: Reconciliation,
  { from, to }: Pick<MatchRules, 'from' | 'to'>,
  knownUntil: string | null,
  skipped: number,
) {
  return {
    ...{ agrees, lines, operations, outside, skipped, failed, within_tolerance: tolerated },
    ...{ from, to, known_until: knownUntil },
    ...{ sums, totals },
  };
}

export function totalRows(totals: readonly CurrencySum[]) {
  return totals.flatMap(({ currency, here, there, pending, failed }) => [
    { words: 'total', currency, here, there },
    ...Object.entries({ pending, failed }).flatMap(([name, sum]) =>
      sum.count === 0 ? [] : [{ words: `total ${name}`, currency, here: null, there: sum }],
    ),
  ]);
}
