import type { WorkFile } from '../../runtime/work-file.js';
import { FINDING_CLASSES, type FindingClass, MATCH_KEYS, type MatchKey } from '../finding.js';
import type { MatchRules } from '../rules.js';
import { dayNumber } from './entries.js';
import type { CountedEntry, Side, Tally } from './tally.js';

export interface PlacedEntry extends CountedEntry {
  readonly row: number;
  readonly day: number | null;
}

export interface NewFinding {
  readonly class: FindingClass;
  readonly by: MatchKey | null;
  readonly lines: readonly PlacedEntry[];
  readonly operations: readonly PlacedEntry[];
  readonly tolerances?: readonly string[];
  readonly beside?: readonly [line: number, operation: number] | undefined;
}

const INSERT_FINDING =
  'INSERT INTO finding (class, by, here, there, tolerances, more, beside) VALUES (?, ?, ?, ?, ?, ?, ?)';

export function findingRecorder(
  file: WorkFile,
  placement: PlacementState,
  tally: Tally,
  { from, to }: Pick<MatchRules, 'from' | 'to'>,
) {
  const firstDay = from === null ? -Infinity : dayNumber(from);
  const lastDay = to === null ? Infinity : dayNumber(to);
  const isInside = ({ day }: Pick<PlacedEntry, 'day'>): boolean =>
    day === null || (day >= firstDay && day <= lastDay);
  let tolerated = 0;
  /** A finding counts if any of its lines or operations is inside the selected days. */
  const record = (finding: NewFinding): void => {
    const { lines, operations } = finding;
    const isSelected = lines.some(isInside) || operations.some(isInside);
    const tallyPlace = isSelected ? finding.class : 'outside';
    for (const line of lines) tally.place('here', tallyPlace, line);
    for (const operation of operations) tally.place('there', tallyPlace, operation);
    if (!isSelected) return;
    const { class: name, by, tolerances = [], beside } = finding;
    const [here = null, ...moreHere] = lines.map(({ row }) => row);
    const [there = null, ...moreThere] = operations.map(({ row }) => row);
    const hasMore = moreHere.length + moreThere.length > 0;
    file.run(
      INSERT_FINDING,
      ...[FINDING_CLASSES.indexOf(name), by === null ? null : MATCH_KEYS.indexOf(by), here, there],
      tolerances.length === 0 ? null : JSON.stringify(tolerances),
      hasMore ? JSON.stringify([moreHere, moreThere]) : null,
      beside === undefined ? null : JSON.stringify(beside.map((row) => [row])),
    );
    if (name === 'matched' && tolerances.length > 0) tolerated += 1;
  };
  return {
    pair: (finding: NewFinding): void => {
      placement.pair(finding.lines[0]?.row ?? 0, finding.operations[0]?.row ?? 0);
      record(finding);
    },
    place: (finding: NewFinding): void => {
      for (const { row } of finding.lines) placement.place('here', row);
      for (const { row } of finding.operations) placement.place('there', row);
      record(finding);
    },
    makeAmbiguous: (
      from: FindingClass,
      line: CountedEntry,
      operation: CountedEntry,
      isTolerated: boolean,
    ): void => {
      tally.move('here', [from, 'ambiguous'], line);
      tally.move('there', [from, 'ambiguous'], operation);
      if (from === 'matched' && isTolerated) tolerated -= 1;
    },
    countOutside: (line: PlacedEntry): void => {
      placement.place('here', line.row);
      tally.place('here', 'outside', line);
    },
    countFailed: (operation: PlacedEntry): void => {
      placement.place('there', operation.row);
      tally.place('there', isInside(operation) ? 'failed' : 'outside', operation);
    },
    tolerated: () => tolerated,
  };
}
export type FindingRecorder = ReturnType<typeof findingRecorder>;

const NO_PARTNER = -1;

export class PlacementState {
  readonly #partners: Readonly<Record<Side, Int32Array>>;
  readonly #openCounts: Record<Side, number>;

  constructor(lines: number, operations: number) {
    this.#partners = { here: new Int32Array(lines + 1), there: new Int32Array(operations + 1) };
    this.#openCounts = { here: lines, there: operations };
  }

  partner(side: Side, row: number): number {
    return this.#partners[side][row] ?? 0;
  }

  openCount(side: Side): number {
    return this.#openCounts[side];
  }

  pair(line: number, operation: number): void {
    this.#set('here', line, operation);
    this.#set('there', operation, line);
  }

  place(side: Side, row: number): void {
    this.#set(side, row, NO_PARTNER);
  }

  #set(side: Side, row: number, partner: number): void {
    if (this.partner(side, row) !== 0) throw new Error('a line or an operation would be in two findings');
    this.#partners[side][row] = partner;
    this.#openCounts[side] -= 1;
  }
}
