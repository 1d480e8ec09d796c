import { CONFIRMED, PENDING } from './entries.js';
import type { EITHER, FAILED, PAYIN, PAYOUT, UNKNOWN } from './entries.js';
import { toMinor } from '../../contract/money.js';
import type { FindingClass } from '../finding.js';
import { daysText, feeText, type MatchRules, toleranceText } from '../rules.js';

interface GroupEntry {
  readonly row: number;
  readonly currency: string | null;
  /** In canonical form, so that equal amounts are equal texts. */
  readonly amount: string | null;
  readonly day: number | null;
  /** The row of the partner: 0 before there is a finding, -1 in a finding without a partner. */
  partner: number;
  readonly bank: string | null;
  readonly order: string;
}

export interface GroupLine extends GroupEntry {
  readonly line: number;
  readonly direction: typeof PAYIN | typeof PAYOUT | typeof EITHER;
}

export interface GroupOperation extends GroupEntry {
  readonly status: typeof CONFIRMED | typeof UNKNOWN | typeof PENDING | typeof FAILED;
  readonly direction: typeof PAYIN | typeof PAYOUT;
}

export interface Group {
  readonly lines: readonly GroupLine[];
  readonly operations: readonly GroupOperation[];
  readonly live: ReadonlySet<GroupOperation['direction']>;
}

export type Members = Pick<Group, 'lines' | 'operations'>;

export function isFree({ partner }: Pick<GroupEntry, 'partner'>): boolean {
  return partner === 0;
}

export function directionsAgree(line: GroupLine, operation: GroupOperation): boolean {
  return line.direction === operation.direction || line.direction > 1;
}

export function isPaired({ partner }: Pick<GroupEntry, 'partner'>): boolean {
  return partner > 0;
}

export function moneyOf({ currency, amount }: Pick<GroupEntry, 'currency' | 'amount'>): string {
  return `${amount ?? '-'} ${currency ?? '-'}`;
}

export type Pair = readonly [GroupLine, GroupOperation];

export function setPartners(pairs: readonly Pair[]): readonly Pair[] {
  for (const [line, operation] of pairs) [line.partner, operation.partner] = [operation.row, line.row];
  return pairs;
}

export function compareEntries(one: GroupLine | GroupOperation, other: GroupLine | GroupOperation): number {
  const [rank, otherRank] = ['status' in one ? one.status : 0, 'status' in other ? other.status : 0];
  if (rank !== otherRank) return rank - otherRank;
  const [day, otherDay] = [one.day ?? Infinity, other.day ?? Infinity];
  if (day !== otherDay) return day < otherDay ? -1 : 1;
  if (one.order !== other.order) return one.order < other.order ? -1 : 1;
  const [kind = '', otherKind = ''] = [one, other].map((each) => `${each.direction} ${moneyOf(each)}`);
  if (kind !== otherKind) return kind < otherKind ? -1 : 1;
  return 'line' in one && 'line' in other ? one.line - other.line : 0;
}

export function fitRulesOf(rules: MatchRules) {
  const { tolerances, fees, days } = rules;
  const tolerancesNeeded = (line: GroupLine, operation: GroupOperation): readonly string[] | null => {
    if (!directionsAgree(line, operation) || line.currency === null || line.currency !== operation.currency)
      return null;
    if (line.amount === null || operation.amount === null) return null;
    if (line.amount === operation.amount) return [];
    return tolerancesFor(line.amount, operation.amount, line.currency, rules);
  };
  const verdict = (line: GroupLine, operation: GroupOperation) => {
    const needed = tolerancesNeeded(line, operation);
    const daysOff = line.day === null || operation.day === null ? 0 : Math.abs(line.day - operation.day);
    const isDateOff = daysOff > days;
    return {
      class: classOf(operation, needed !== null, isDateOff),
      tolerances: [...(needed ?? []), ...(daysOff === 0 || isDateOff ? [] : [daysText(days)])],
    };
  };
  return { tolerancesNeeded, verdict, isTolerant: tolerances.length + fees.length > 0, days };
}
export type FitRules = ReturnType<typeof fitRulesOf>;

function classOf({ status }: GroupOperation, isSameMoney: boolean, isDateOff: boolean): FindingClass {
  if (status !== CONFIRMED && status !== PENDING) return 'status_differs';
  if (!isSameMoney) return 'amount_differs';
  if (status === PENDING) return 'pending';
  return isDateOff ? 'date_differs' : 'matched';
}

function tolerancesFor(
  lineAmount: string,
  operationAmount: string,
  currency: string,
  { tolerances, fees }: MatchRules,
): readonly string[] | null {
  const tolerance = tolerances.find((one) => one.currency === currency);
  const fee = fees.find((one) => one.currency === currency);
  if (tolerance === undefined && fee === undefined) return null;
  const texts = [lineAmount, operationAmount, tolerance?.amount ?? '0', fee?.percent ?? '0'];
  const scale = Math.max(...texts.map((text) => text.split('.')[1]?.length ?? 0));
  const [here = 0n, there = 0n, most = 0n, percent = 0n] = texts.map((text) => unitsOf(text, scale));
  const difference = here > there ? here - there : there - here;
  const isWithinFee = (rest: bigint): boolean => rest * 100n * 10n ** BigInt(scale) <= there * percent;
  if (tolerance !== undefined && difference <= most) return [toleranceText(tolerance)];
  if (fee === undefined) return null;
  if (isWithinFee(difference)) return [feeText(fee)];
  return tolerance !== undefined && isWithinFee(difference - most)
    ? [toleranceText(tolerance), feeText(fee)]
    : null;
}

function unitsOf(amount: string, scale: number): bigint {
  const units = toMinor(amount, scale);
  if (units === null) throw new RangeError('an amount is no decimal string');
  return units;
}
