/** What the cells of a file say about its decimal mark: only what all of them agree on counts. Pure. */
import { bothWays } from './amount.js';
import type { DecimalMark } from './forms.js';

/** A cell that can be read in more than one way, and what it is in each of them. */
export interface Doubt<Way extends string> {
  readonly line: number;
  readonly text: string;
  readonly ways: readonly (readonly [way: Way, value: string])[];
}

/** What it is in each of them, with what settles it. @param flag what is typed for a way */
export function doubtText<Way extends string>(
  { text, ways }: Doubt<Way>,
  flag: (way: Way) => string,
): string {
  const readings = ways.map(([way, value]) => `${value} with ${flag(way)}`);
  return `${JSON.stringify(text.trim())} is ${readings.join(', ')}`;
}

export class DecimalEvidence {
  #way: DecimalMark | null = null;
  #doubt: Doubt<DecimalMark> | null = null;

  /** The first cell that can be read in one way only decides; one that contradicts it later can't be read. */
  add(line: number, text: string): void {
    if (this.#way !== null) return;
    const { comma, point } = bothWays(text);
    if (comma !== null && point !== null) {
      if (comma.amount === point.amount) return;
      this.#doubt ??= {
        line,
        text,
        ways: [
          ['comma', comma.amount],
          ['point', point.amount],
        ],
      };
    } else if (comma !== null) this.#way = 'comma';
    else if (point !== null) this.#way = 'point';
  }

  /** A way, a doubt about it, or neither where it makes no difference so far. */
  verdict(): { readonly way: DecimalMark | null; readonly doubt: Doubt<DecimalMark> | null } {
    return { way: this.#way, doubt: this.#way === null ? this.#doubt : null };
  }
}
