/** Why a finding is one, in words for whoever looks at it. Pure. */
import { isDecimal, sumDecimals } from '../contract/money.js';
import { foldReference } from '../contract/reference.js';
import type { Finding, FindingClass, Named, Suggestion } from './finding.js';
import type { ComparedOperation, LedgerLine } from './line.js';

/** What it differs in, what of the tolerances it took, and what may belong to it. Empty where there is nothing to say. */
export function detailOf(finding: Finding): string {
  const { class: kind, tolerances, suggestion } = finding;
  const within = tolerances.length === 0 ? [] : [`within ${tolerances.join(', ')}`];
  const hint = suggestion === null ? [] : [suggested(suggestion)];
  return [...DETAILS[kind](finding), ...within, ...hint].join('; ');
}

type Sides = Pick<Finding, 'here' | 'there' | 'by' | 'beside'>;

const DETAILS: Readonly<Record<FindingClass, (sides: Sides) => string[]>> = {
  ambiguous: (sides) =>
    sides.here.length === 1 && sides.there.length === 1
      ? contradictions(sides)
      : [`${counted(sides)} fit each other`],
  duplicate_here: ({ beside }) => [beside === null ? 'your file has it already' : `repeats ${named(beside)}`],
  duplicate_there: ({ beside }) => [
    beside === null ? 'the service has it already' : `repeats ${named(beside)}`,
  ],
  amount_differs: (sides) => [...differences(sides, moneyDifferences)],
  status_differs: ({ there }) => there.slice(0, 1).map(({ status }) => `the service says ${status}`),
  pending: () => [],
  date_differs: (sides) => [...differences(sides, dateDifference)],
  only_here: ({ beside }) => (beside === null ? [] : [`what it names belongs to ${named(beside)}`]),
  only_there: ({ beside }) => (beside === null ? [] : [`what it names belongs to ${named(beside)}`]),
  matched: () => [],
};

const BY: Readonly<Record<string, string>> = {
  id: 'id',
  reference: 'reference',
  bank_reference: 'bank reference',
};

/** A line and its operation that agree but for their names. */
function contradictions({ here, there, beside }: Sides): string[] {
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

function counted({ here, there, by }: Sides): string {
  const count = (many: readonly unknown[], one: string): string =>
    `${String(many.length)} ${one}${many.length === 1 ? '' : 's'}`;
  const of = by === null ? '' : ` of one ${BY[by] ?? by}`;
  return `${count(here, 'line')} and ${count(there, 'operation')}${of}`;
}

type Difference = (line: LedgerLine, operation: ComparedOperation) => string[];

/** Of one line and one operation; more of them are shown and not explained. */
function differences({ here, there }: Sides, of: Difference): string[] {
  const [line, ...lines] = here;
  const [operation, ...operations] = there;
  const isPair = line !== undefined && operation !== undefined && lines.length + operations.length === 0;
  return isPair ? of(line, operation) : [];
}

const moneyDifferences: Difference = (line, operation) => [
  ...otherWords(line.direction, operation.direction),
  ...otherWords(line.currency, operation.currency),
  ...amountDifference(line, operation),
];

/** What the ledger does not say differs from nothing. */
function otherWords(here: string | null, there: string | null): string[] {
  return here === null || here === there ? [] : [`${here} in your file, ${there ?? 'none'} in the service`];
}

function amountDifference(line: LedgerLine, { amount, currency }: ComparedOperation): string[] {
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

const dateDifference: Difference = (line, operation) =>
  line.date === null || operation.date === null
    ? []
    : [`${line.date} in your file, ${operation.date} in the service`];

const LISTED = 5;

function suggested({ lines, operations }: Suggestion): string {
  const [line, operation] = [lines.join(', '), operations.join(', ')];
  if (lines.length === 1 && operations.length === 1)
    return `a suggestion: operation ${operation} is exactly as much as line ${line}, and nothing else is`;
  const [many, one] =
    lines.length > 1
      ? [named({ lines, operations: [] }), operations]
      : [named({ lines: [], operations }), lines];
  const whole = lines.length > 1 ? `operation ${one.join(', ')}` : `line ${one.join(', ')}`;
  return `a suggestion: ${many} add up to exactly ${whole}`;
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
