/** Whether a line and an operation are the same money, by which stated tolerances, and what differs where they are not. Pure. */
import { toMinor } from '../../contract/money.js';
import type { FindingClass } from '../finding.js';
import { daysText, feeText, type MatchRules, toleranceText } from '../rules.js';
import { CONFIRMED, PENDING } from './entries.js';
import { agree, type GroupLine, type GroupOperation } from './member.js';

export interface Fitting {
  /** The tolerances that were needed: none where amounts are exactly equal. Null where it is not the same money. */
  readonly fit: (line: GroupLine, operation: GroupOperation) => readonly string[] | null;
  /** What comes of a line and its operation, and by which tolerances. */
  readonly verdict: (line: GroupLine, operation: GroupOperation) => FittingVerdict;
  /** Whether amounts of anything may differ at all. */
  readonly isTolerant: boolean;
  readonly days: number;
}

export interface FittingVerdict {
  readonly class: FindingClass;
  readonly tolerances: readonly string[];
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
    if (needed === null) return { class: 'amount_differs', tolerances: [] };
    const off = line.day === null || operation.day === null ? 0 : Math.abs(line.day - operation.day);
    const isLate = off > days;
    return {
      class: classOf(operation, isLate),
      tolerances: off === 0 || isLate ? needed : [...needed, daysText(days)],
    };
  };
  return { fit, verdict, isTolerant: tolerances.length + fees.length > 0, days };
}

/** Of the same money: a line means that it was paid. */
function classOf({ status }: GroupOperation, isLate: boolean): FindingClass {
  if (status === PENDING) return 'pending';
  if (status !== CONFIRMED) return 'status_differs';
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

export function decimalsOf(amount: string): number {
  const point = amount.indexOf('.');
  return point === -1 ? 0 : amount.length - point - 1;
}

/** @throws RangeError for what is no amount */
export function unitsOf(amount: string, scale: number): bigint {
  const units = toMinor(amount, scale);
  if (units === null) throw new RangeError('an amount is no decimal string');
  return units;
}
