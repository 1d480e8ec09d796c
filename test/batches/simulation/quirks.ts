/** What else a service may do that the contract leaves open or breaks; a history that draws none of it meets none. */
import type { Seeded } from '../../support/seeded.js';

/** Which refused requests keep their key: none, those that lack a member, those whose values are wrong, or all. */
export const MEMORIES = ['none', 'shape', 'business', 'all'] as const;
export type Memory = (typeof MEMORIES)[number];

export interface QuirkManners {
  readonly remembers: Memory;
  /** Each event shows up to so many hours late, in the order in which they show; drawn for each. */
  readonly lateHours: readonly number[];
  /** How often a pending operation is not found, for some hours or for good: then it never was. */
  readonly goneRate: number;
  /** How often an event that it failed follows the one that it was confirmed; in a third of them the money really comes back. */
  readonly undoneRate: number;
  /** How often an answer to a create has no reference, or is about an operation of another one. */
  readonly strangeRate: number;
  /** So many events stand on a page. */
  readonly pageSize: number;
  /** When the cursor of a full page stands still; null for never. */
  readonly stands: { readonly fromMs: number; readonly toMs: number } | null;
}

export const PLAIN: QuirkManners = {
  ...{ remembers: 'none', lateHours: [0], goneRate: 0, undoneRate: 0, strangeRate: 0 },
  ...{ pageSize: Infinity, stands: null },
};

const HOUR_MS = 3_600_000;

export class Quirks {
  manners: QuirkManners;
  readonly #random: Seeded;

  constructor(manners: QuirkManners, random: Seeded) {
    this.manners = manners;
    this.#random = random;
  }

  remembers(kind: 'shape' | 'business'): boolean {
    const { remembers } = this.manners;
    return remembers === 'all' || remembers === kind;
  }

  lateMs(): number {
    const { lateHours } = this.manners;
    const most = lateHours.length === 1 ? lateHours[0]! : this.#random.pick(lateHours);
    return most === 0 ? 0 : Math.round(most * HOUR_MS * this.#random.fraction());
  }

  /** For how long an operation that is pending is not found; null where it is. */
  goneMs(): number | null {
    if (!this.#happens(this.manners.goneRate)) return null;
    return this.#random.chance(0.5) ? Infinity : (5 + 35 * this.#random.fraction()) * HOUR_MS;
  }

  /** When an end is contradicted, and whether it is undone; null where it stays. */
  undoing(): { readonly afterMs: number; readonly isReal: boolean } | null {
    if (!this.#happens(this.manners.undoneRate)) return null;
    const afterMs = Math.round((0.1 + 30 * this.#random.fraction()) * HOUR_MS);
    return { afterMs, isReal: this.#random.chance(0.3) };
  }

  strange(): 'unnamed' | 'swapped' | null {
    if (!this.#happens(this.manners.strangeRate)) return null;
    return this.#random.pick(['unnamed', 'swapped'] as const);
  }

  isStill(nowMs: number): boolean {
    const { stands } = this.manners;
    return stands !== null && nowMs >= stands.fromMs && nowMs < stands.toMs;
  }

  /** Draws nothing where it never happens. */
  #happens(rate: number): boolean {
    return rate > 0 && this.#random.chance(rate);
  }
}
