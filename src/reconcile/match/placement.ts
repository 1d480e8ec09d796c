/** Records findings: each member is placed once and counted once, and is kept when it is inside the selection. */
import type { WorkFile } from '../../runtime/work-file.js';
import { FINDING_CLASSES, type FindingClass, MATCH_KEYS, type MatchKey } from '../finding.js';
import type { MatchRules } from '../rules.js';
import { dayNumber } from './entries.js';
import type { Counted, Side, Tally } from './tally.js';

export interface Placed extends Counted {
  readonly row: number;
  readonly day: number | null;
}

export interface Made {
  readonly class: FindingClass;
  readonly by: MatchKey | null;
  readonly lines: readonly Placed[];
  readonly operations: readonly Placed[];
  readonly tolerances?: readonly string[];
  /** Rows of what it has to do with elsewhere: a line and its operation. */
  readonly beside?: readonly [line: number, operation: number] | undefined;
}

export interface Recording {
  /** A line and its operation. */
  pair(made: Made): void;
  /** Whatever belongs to nothing. */
  place(made: Made): void;
  /** Makes a pair of a class ambiguous. */
  doubt(from: FindingClass, line: Counted, operation: Counted, isTolerated: boolean): void;
  /** A line that is not compared. */
  leaveLineOut(line: Placed): void;
  /** A failed operation that no line names: no finding, and in no sum of one. */
  leaveOut(operation: Placed): void;
  /** How many match within a tolerance. */
  tolerated(): number;
}

const INSERT =
  'INSERT INTO finding (class, by, here, there, tolerances, more, beside) VALUES (?, ?, ?, ?, ?, ?, ?)';

export function recordingOf(
  file: WorkFile,
  standing: PlacementState,
  tally: Tally,
  { from, to }: Pick<MatchRules, 'from' | 'to'>,
): Recording {
  const first = from === null ? -Infinity : dayNumber(from);
  const last = to === null ? Infinity : dayNumber(to);
  // What has no day can't be said to be outside.
  const isInside = ({ day }: Pick<Placed, 'day'>): boolean => day === null || (day >= first && day <= last);
  let tolerated = 0;
  /** A finding is looked at with all that belongs to it where any of it is inside. */
  const record = (made: Made): void => {
    const { lines, operations } = made;
    const isLooked = lines.some(isInside) || operations.some(isInside);
    const place = isLooked ? made.class : 'outside';
    for (const line of lines) tally.place('here', place, line);
    for (const operation of operations) tally.place('there', place, operation);
    if (!isLooked) return;
    const { class: name, by, tolerances = [], beside } = made;
    const [here = null, ...moreHere] = lines.map(({ row }) => row);
    const [there = null, ...moreThere] = operations.map(({ row }) => row);
    const hasMore = moreHere.length + moreThere.length > 0;
    file.run(
      INSERT,
      ...[FINDING_CLASSES.indexOf(name), by === null ? null : MATCH_KEYS.indexOf(by), here, there],
      tolerances.length === 0 ? null : JSON.stringify(tolerances),
      hasMore ? JSON.stringify([moreHere, moreThere]) : null,
      beside === undefined ? null : JSON.stringify(beside.map((row) => [row])),
    );
    if (name === 'matched' && tolerances.length > 0) tolerated += 1;
  };
  const placeAll = (side: Side, members: readonly Placed[]): void => {
    for (const { row } of members) standing.place(side, row);
  };
  return {
    pair: (made) => {
      standing.pair(made.lines[0]?.row ?? 0, made.operations[0]?.row ?? 0);
      record(made);
    },
    place: (made) => {
      placeAll('here', made.lines);
      placeAll('there', made.operations);
      record(made);
    },
    doubt: (from, line, operation, isTolerated) => {
      tally.move('here', [from, 'ambiguous'], line);
      tally.move('there', [from, 'ambiguous'], operation);
      if (from === 'matched' && isTolerated) tolerated -= 1;
    },
    leaveLineOut: (line) => {
      placeAll('here', [line]);
      tally.place('here', 'outside', line);
    },
    leaveOut: (operation) => {
      placeAll('there', [operation]);
      tally.place('there', isInside(operation) ? 'failed' : 'outside', operation);
    },
    tolerated: () => tolerated,
  };
}

/** In a finding, and belonging to nothing. */
const PLACED = -1;

export class PlacementState {
  readonly #partners: Readonly<Record<Side, Int32Array>>;
  readonly #open: Record<Side, number>;

  constructor(lines: number, operations: number) {
    this.#partners = { here: new Int32Array(lines + 1), there: new Int32Array(operations + 1) };
    this.#open = { here: lines, there: operations };
  }

  /** The row on the other side; 0 for what is open, -1 for what has none. */
  partner(side: Side, row: number): number {
    return this.#partners[side][row] ?? 0;
  }

  open(side: Side): number {
    return this.#open[side];
  }

  pair(line: number, operation: number): void {
    this.#set('here', line, operation);
    this.#set('there', operation, line);
  }

  place(side: Side, row: number): void {
    this.#set(side, row, PLACED);
  }

  /** @throws Error where it was placed already: everything is in one finding */
  #set(side: Side, row: number, partner: number): void {
    if (this.partner(side, row) !== 0) throw new Error('a line or an operation would be in two findings');
    this.#partners[side][row] = partner;
    this.#open[side] -= 1;
  }
}
