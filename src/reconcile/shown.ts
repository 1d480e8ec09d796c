/** The result for every form of output: findings with their reason and the next command, and the sums of the classes and of both sides. Pure. */
import { flagWords, svcLine } from '../runtime/shell.js';
import type { Direction } from '../contract/operation.js';
import { isUuid } from '../contract/notation.js';
import { counted, hasUnseen } from '../contract/on-screen.js';
import type { Finding, Named, Reconciliation, CurrencySum } from './finding.js';
import { directionOf, type ComparedOperation, type LedgerLine } from './line.js';
import { isDecimal, sumDecimals } from '../contract/money.js';
import { foldReference } from '../contract/reference.js';

/** What is the same for all findings of a run. */
interface Showing {
  /** The flags that say which service was asked, as words. */
  readonly where: readonly string[];
  /** Whether any amount of the ledger is negative: then a sign says a direction. */
  readonly hasNegatives: boolean;
  /** Of lines that say none, not by a sign either; null for none. */
  readonly direction?: Direction | null;
  /** Of lines that name none. */
  readonly currency: string | null;
  /** How many decimals the amounts of a currency have. */
  readonly decimals: ReadonlyMap<string | null, number>;
}

export function shownFinding(finding: Finding, showing: Showing) {
  const here = finding.here.map((line) => shownLine(line, showing));
  return {
    class: finding.class,
    by: finding.by,
    detail: detailOf(finding, here),
    here,
    there: finding.there.map(shownOperation),
    beside: finding.beside,
    tolerances: finding.tolerances,
    suggestion: finding.suggestion,
    next_command: nextOf(finding, showing.where),
  };
}
export type ShownFinding = ReturnType<typeof shownFinding>;

type ShownLine = ReturnType<typeof shownLine>;

function shownLine(read: LedgerLine, showing: Showing) {
  const { hasNegatives, currency: assumed, decimals } = showing;
  const { line, id, reference, bankReference, date } = read;
  const currency = read.currency ?? assumed;
  const amount = padded(read.amount, decimals.get(currency) ?? 0);
  const direction = directionOf(read, hasNegatives) ?? showing.direction ?? null;
  return { line, id, reference, bank_reference: bankReference, direction, currency, amount, date };
}

/** With that many decimals at least: `7.5` is `7.50`. */
function padded(amount: string, decimals: number): string {
  const [whole = '', fraction = ''] = amount.split('.');
  return decimals === 0 ? amount : `${whole}.${fraction.padEnd(decimals, '0')}`;
}

function shownOperation(operation: ComparedOperation) {
  const { id, direction, status, reference, bankReference, currency, amount, date } = operation;
  return { id, direction, status, reference, bank_reference: bankReference, currency, amount, date };
}

/** Shows more of it. Null where no line that can be pasted does: a control character or a mark of direction does not survive the way. */
function nextOf({ class: kind, by, here, there }: Finding, where: readonly string[]): string | null {
  const [line, ...otherLines] = here;
  const [operation, ...others] = there;
  const isOne = operation !== undefined && others.length === 0 && kind !== 'ambiguous';
  if (isOne && isUuid(operation.id)) return svcLine('transactions get', where, [operation.id]);
  const sought = soughtIn(line ?? operation, by) ?? soughtIn(operation ?? otherLines[0], by);
  if (sought !== null) return svcLine('operations find', where, ['--', sought]);
  const date = line?.date ?? null;
  return date === null ? null : svcLine('operations list', [...flagWords('--since', date), ...where]);
}

/** What is looked for: by which they were brought together, else the best there is. */
function soughtIn(named: LedgerLine | ComparedOperation | undefined, by: Finding['by']): string | null {
  if (named === undefined) return null;
  const { id, reference, bankReference } = named;
  const first = { id, reference, bank_reference: bankReference, none: null }[by ?? 'none'];
  return [first, reference, bankReference, id].find((text) => isPasteable(text)) ?? null;
}

/** A terminal shows what is unseen as escapes, and what is copied from there would be another text. */
function isPasteable(text: string | null): text is string {
  return text !== null && text.trim() !== '' && !hasUnseen(text);
}

/** Why it is one, all that differs, what of that was tolerated, and what may belong to it. Empty where there is nothing to say. */
function detailOf(finding: Finding, here: readonly ShownLine[]): string {
  const { there, tolerances, suggestion } = finding;
  const [line, operation] = [here[0], there[0]];
  const isPair = line !== undefined && operation !== undefined && here.length + there.length === 2;
  return [
    ...reasonOf(finding, isPair),
    ...(isPair ? differences(line, operation) : []),
    ...(tolerances.length === 0 ? [] : [`within ${tolerances.join(', ')}`]),
    ...(suggestion === null ? [] : [suggested(suggestion)]),
  ].join('; ');
}

function reasonOf(finding: Finding, isPair: boolean): string[] {
  const { class: kind, beside } = finding;
  if (kind === 'ambiguous') {
    if (isPair) return contradictions(finding);
    const { here, there, by } = finding;
    const of = by === null ? '' : ` of one ${BY[by] ?? by}`;
    return [`${counted(here.length, 'line')} and ${counted(there.length, 'operation')}${of} fit each other`];
  }
  if (kind === 'duplicate_here' || kind === 'duplicate_there') {
    const side = kind === 'duplicate_here' ? 'your file' : 'the service';
    return [beside === null ? `${side} has it already` : `repeats ${named(beside)}`];
  }
  return beside === null ? [] : [`what it names belongs to ${named(beside)}`];
}

const BY: Readonly<Record<string, string>> = {
  id: 'id',
  reference: 'reference',
  bank_reference: 'bank reference',
};

/** A line and its operation that agree but for their names. */
function contradictions({ here, there, beside }: Finding): string[] {
  const [line] = here;
  const [operation] = there;
  if (line === undefined || operation === undefined) return [];
  const fold = (text: string | null): string => foldReference(text ?? '');
  const names = [
    ['id', line.id, operation.id],
    ['reference', line.reference, operation.reference],
    ['bank reference', line.bankReference, operation.bankReference],
  ] as const;
  const other = names
    .filter(([, its, mine]) => its !== null && fold(its) !== fold(mine))
    .map(([name]) => name);
  const what = `its ${other.join(' and ')} ${other.length === 1 ? 'is not that' : 'are not those'} of the operation`;
  return [beside === null ? what : `${what}, and ${other.length === 1 ? 'names' : 'name'} ${named(beside)}`];
}

function differences(line: ShownLine, operation: ComparedOperation): string[] {
  return [
    ...(operation.status === 'confirmed' ? [] : [`the service says ${operation.status}`]),
    ...otherWords(line.direction, operation.direction),
    ...otherWords(line.currency, operation.currency),
    ...amountDifference(line, operation),
    ...(operation.date === null ? [] : otherWords(line.date, operation.date)),
  ];
}

/** What the ledger does not say differs from nothing. */
function otherWords(here: string | null, there: string | null): string[] {
  return here === null || here === there ? [] : [`${here} in your file, ${there ?? 'none'} in the service`];
}

function amountDifference(line: ShownLine, { amount, currency }: ComparedOperation): string[] {
  if (amount === null || !isDecimal(amount) || !isDecimal(line.amount)) return [];
  if (line.currency !== null && line.currency !== currency) return [];
  const difference = sumDecimals([line.amount, amount.startsWith('-') ? amount.slice(1) : `-${amount}`]);
  const size = difference.replace('-', '');
  if (/^[0.]*$/.test(size)) return [];
  return [
    `${size} ${currency ?? ''} ${difference.startsWith('-') ? 'less' : 'more'} in your file`.replace(
      '  ',
      ' ',
    ),
  ];
}

const LISTED = 5;

function suggested({ lines, operations }: Named): string {
  return `a suggestion: only operation ${operations.join()} has exactly the amount of line ${lines.join()}, or its number but for leading zeros`;
}

/** `lines 3, 4 and operation 0192...` */
function named({ lines, operations }: Named): string {
  const part = (word: string, all: readonly string[]): string[] =>
    all.length === 0 ? [] : [`${word}${all.length === 1 ? '' : 's'} ${listed(all)}`];
  return [...part('line', lines.map(String)), ...part('operation', operations)].join(' and ');
}

function listed(all: readonly string[]): string {
  const more = all.length - LISTED;
  return `${all.slice(0, LISTED).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
}

/** The last line of the JSON. */
export function shownSummary(
  result: Reconciliation,
  compared: {
    /** From when to when both sides were cut, and up to when the service was known; null where nothing says it. */
    readonly from: string | null;
    readonly to: string | null;
    readonly knownUntil: string | null;
    /** How many of the matched needed a tolerance. */
    readonly withinTolerance: number;
    /** How many lines of the ledger were taken for no payment: totals, balances, headers that come again. */
    readonly skipped: number;
  },
) {
  const { agrees, lines, operations, outside, failed, sums, totals } = result;
  const { from, to, knownUntil, withinTolerance, skipped } = compared;
  return {
    ...{ agrees, lines, operations, outside, skipped, failed, within_tolerance: withinTolerance },
    ...{ from, to, known_until: knownUntil },
    ...{ sums, totals },
  };
}

/** What stands below the classes in a table. */
export function totalRows(totals: readonly CurrencySum[]) {
  return totals.flatMap(({ currency, here, there, pending, failed }) => [
    { words: 'total', currency, here, there },
    ...Object.entries({ pending, failed }).flatMap(([name, sum]) =>
      sum.count === 0 ? [] : [{ words: `total ${name}`, currency, here: null, there: sum }],
    ),
  ]);
}
