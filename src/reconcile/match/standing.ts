/** How every line and operation stands while they are compared: four bytes each, so that a million of each are a few megabytes. */
import type { Side } from './tally.js';

/** In a finding, and belonging to nothing. */
const PLACED = -1;

export class MatchStanding {
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
