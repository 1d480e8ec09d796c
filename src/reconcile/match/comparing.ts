/** Compares a line and an operation: whether they are the same money, by the stated tolerances. Pure. */
import {
  CONFIRMED,
  type EITHER,
  type FAILED,
  type PAYIN,
  type PAYOUT,
  PENDING,
  type UNKNOWN,
} from './entries.js';
import { toMinor } from '../../contract/money.js';
import type { FindingClass } from '../finding.js';
import { daysText, feeText, type MatchRules, toleranceText } from '../rules.js';

interface Compared {
  /** Its row in the work file, from 1. */
  readonly row: number;
  readonly currency: string | null;
  /** Canonical: equal amounts are equal texts. */
  readonly amount: string | null;
  /** Days since the epoch. */
  readonly day: number | null;
  /** The row with which it was paired; 0 while it is open, -1 where it was placed without one. */
  partner: number;
  /** Where several share a name: its other names, which differ. */
  readonly bank: string | null;
  readonly order: string;
}

export interface GroupLine extends Compared {
  readonly line: number;
  readonly direction: typeof PAYIN | typeof PAYOUT | typeof EITHER;
}

export interface GroupOperation extends Compared {
  readonly status: typeof CONFIRMED | typeof UNKNOWN | typeof PENDING | typeof FAILED;
  readonly direction: typeof PAYIN | typeof PAYOUT;
}

/** Lines and operations that share a name, each side in its turn. */
export interface Group {
  readonly lines: readonly GroupLine[];
  readonly operations: readonly GroupOperation[];
  /** The directions in which there is an operation that did not fail, open or not. */
  readonly live: ReadonlySet<GroupOperation['direction']>;
}

export type Members = Pick<Group, 'lines' | 'operations'>;

export function isFree({ partner }: Pick<Compared, 'partner'>): boolean {
  return partner === 0;
}

/** Where a line names no direction it is not compared. */
export function agree({ direction: line }: GroupLine, { direction: operation }: GroupOperation): boolean {
  return line === operation || line > 1;
}

export function isPaired({ partner }: Pick<Compared, 'partner'>): boolean {
  return partner > 0;
}

/** Equal for the same amount of the same currency. */
export function moneyOf({ currency, amount }: Pick<Compared, 'currency' | 'amount'>): string {
  return `${amount ?? '-'} ${currency ?? '-'}`;
}

/** A line and the operation that it belongs to, or would. */
export type Pair = readonly [GroupLine, GroupOperation];

/** Notes that they belong together. */
export function join(pairs: readonly Pair[]): readonly Pair[] {
  for (const [line, operation] of pairs) [line.partner, operation.partner] = [operation.row, line.row];
  return pairs;
}

/** In the order in which equal ones are taken: confirmed first, the earliest first, and what has no day behind the rest. */
export function inTurn(one: GroupLine | GroupOperation, other: GroupLine | GroupOperation): number {
  const [rank, itsRank] = ['status' in one ? one.status : 0, 'status' in other ? other.status : 0];
  if (rank !== itsRank) return rank - itsRank;
  const [day, itsDay] = [one.day ?? Infinity, other.day ?? Infinity];
  if (day !== itsDay) return day < itsDay ? -1 : 1;
  if (one.order !== other.order) return one.order < other.order ? -1 : 1;
  const [kind, itsKind] = [one, other].map((each) => `${each.direction} ${moneyOf(each)}`);
  if (kind !== itsKind) return (kind ?? '') < (itsKind ?? '') ? -1 : 1;
  return 'line' in one && 'line' in other ? one.line - other.line : 0;
}

export interface Fitting {
  /** The tolerances that were needed: none where amounts are exactly equal. Null where it is not the same money. */
  readonly fit: (line: GroupLine, operation: GroupOperation) => readonly string[] | null;
  /** What comes of a line and its operation, and by which tolerances. */
  readonly verdict: (
    line: GroupLine,
    operation: GroupOperation,
  ) => { readonly class: FindingClass; readonly tolerances: readonly string[] };
  /** Whether amounts of anything may differ at all. */
  readonly isTolerant: boolean;
  readonly days: number;
}

export function fittingOf(rules: MatchRules): Fitting {
  const { tolerances, fees, days } = rules;
  const fit: Fitting['fit'] = (line, operation) => {
    if (!agree(line, operation) || line.currency === null || line.currency !== operation.currency)
      return null;
    if (line.amount === null || operation.amount === null) return null;
    return line.amount === operation.amount
      ? []
      : neededFor(line.amount, operation.amount, line.currency, rules);
  };
  const verdict: Fitting['verdict'] = (line, operation) => {
    const needed = fit(line, operation);
    const off = line.day === null || operation.day === null ? 0 : Math.abs(line.day - operation.day);
    const isLate = off > days;
    return {
      class: classOf(operation, needed !== null, isLate),
      tolerances: [...(needed ?? []), ...(off === 0 || isLate ? [] : [daysText(days)])],
    };
  };
  return { fit, verdict, isTolerant: tolerances.length + fees.length > 0, days };
}

/** The worst that is wrong. A line means that it was paid. */
function classOf({ status }: GroupOperation, isSameMoney: boolean, isLate: boolean): FindingClass {
  if (status !== CONFIRMED && status !== PENDING) return 'status_differs';
  if (!isSameMoney) return 'amount_differs';
  if (status === PENDING) return 'pending';
  return isLate ? 'date_differs' : 'matched';
}

/** The tolerance alone, the fee alone, or the two together, whichever is the first that is enough. */
function neededFor(
  mine: string,
  its: string,
  currency: string,
  { tolerances, fees }: MatchRules,
): readonly string[] | null {
  const tolerance = tolerances.find((one) => one.currency === currency);
  const fee = fees.find((one) => one.currency === currency);
  if (tolerance === undefined && fee === undefined) return null;
  const texts = [mine, its, tolerance?.amount ?? '0', fee?.percent ?? '0'];
  const scale = Math.max(...texts.map(decimalsOf));
  const [here = 0n, there = 0n, most = 0n, percent = 0n] = texts.map((text) => unitsOf(text, scale));
  const off = here > there ? here - there : there - here;
  // Nothing is divided: the percentage is in units too.
  const isFee = (rest: bigint): boolean => rest * 100n * 10n ** BigInt(scale) <= there * percent;
  if (tolerance !== undefined && off <= most) return [toleranceText(tolerance)];
  if (fee === undefined) return null;
  if (isFee(off)) return [feeText(fee)];
  return tolerance !== undefined && isFee(off - most) ? [toleranceText(tolerance), feeText(fee)] : null;
}

function decimalsOf(amount: string): number {
  const point = amount.indexOf('.');
  return point === -1 ? 0 : amount.length - point - 1;
}

/** @throws RangeError for what is no amount */
function unitsOf(amount: string, scale: number): bigint {
  const units = toMinor(amount, scale);
  if (units === null) throw new RangeError('an amount is no decimal string');
  return units;
}
