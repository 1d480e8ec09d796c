/** A finding as every form of output has it: names as they are promised, why it is one, and what to type about it. Pure. */
import { flagWords, svcLine } from '../runtime/shell.js';
import type { Direction } from '../contract/operation.js';
import { isUuid } from '../contract/notation.js';
import { hasUnseen } from '../contract/on-screen.js';
import { detailOf } from './detail.js';
import type { Finding } from './finding.js';
import { directionOf, type ComparedOperation, type LedgerLine } from './line.js';

/** What is the same for all findings of a run. */
export interface Showing {
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
  return {
    class: finding.class,
    by: finding.by,
    detail: detailOf(finding),
    here: finding.here.map((line) => shownLine(line, showing)),
    there: finding.there.map(shownOperation),
    beside: finding.beside,
    tolerances: finding.tolerances,
    suggestion: finding.suggestion,
    next_command: nextOf(finding, showing.where),
  };
}
export type ShownFinding = ReturnType<typeof shownFinding>;

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

type Names = Pick<LedgerLine, 'id' | 'reference' | 'bankReference'>;

/** What is looked for: by which they were brought together, else the best there is. */
function soughtIn(named: Names | undefined, by: Finding['by']): string | null {
  if (named === undefined) return null;
  const { id, reference, bankReference } = named;
  const first = { id, reference, bank_reference: bankReference, none: null }[by ?? 'none'];
  return [first, reference, bankReference, id].find((text) => isPasteable(text)) ?? null;
}

/** A terminal shows what is unseen as escapes, and what is copied from there would be another text. */
function isPasteable(text: string | null): text is string {
  return text !== null && text.trim() !== '' && !hasUnseen(text);
}
