/** What is known of a line and of an operation while they are compared: small, since thousands may share a name. */
import type { CONFIRMED, EITHER, FAILED, PAYIN, PAYOUT, PENDING, UNKNOWN } from './entries.js';

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
  /** Where several share a name: its other names, by which they are told apart. */
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
