import type { Seeded } from '../../support/seeded.js';

export const MEMORIES = ['none', 'shape', 'business', 'all'] as const;
export type Memory = (typeof MEMORIES)[number];

export interface QuirkManners {
  readonly remembers: Memory;
  readonly lateHours: readonly number[];
  readonly goneRate: number;
  readonly undoneRate: number;
  readonly strangeRate: number;
  readonly pageSize: number;
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

  goneMs(): number | null {
    if (!this.#happens(this.manners.goneRate)) return null;
    return this.#random.chance(0.5) ? Infinity : (5 + 35 * this.#random.fraction()) * HOUR_MS;
  }

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

  #happens(rate: number): boolean {
    return rate > 0 && this.#random.chance(rate);
  }
}
