import type { Direction } from '../../../src/contract/operation.js';
import { Seeded } from '../../support/seeded.js';
import type { Part } from './machine.js';
import { HOUR_MS } from './service.js';
import type { Setting } from './world.js';

export const VARIANTS = [
  'same',
  'same',
  'rename',
  'amount',
  'mended_account',
  'spelling',
  'split',
  'dropped_lines',
  'other_company',
] as const;
export type Variant = (typeof VARIANTS)[number];

interface Doing {
  readonly seed: number;
  readonly direction: Direction;
  readonly machine: 0 | 1;
}

export type Act =
  | (Doing & { readonly kind: 'month'; readonly sameReferences: boolean })
  | (Doing & { readonly kind: 'rerun'; readonly variant: Variant })
  | (Doing & { readonly kind: 'resume' | 'retry'; readonly isOtherCompany: boolean })
  | (Doing & { readonly kind: 'resolve' | 'repeat' | 'forget' })
  | (Doing & { readonly kind: 'single' | 'again'; readonly hasOwnKey: boolean })
  | { readonly kind: 'wait'; readonly hours: number }
  | { readonly kind: 'backup' | 'copy'; readonly machine: 0 | 1 }
  | { readonly kind: 'restore'; readonly machine: 0 | 1; readonly backup: number; readonly part: Part }
  | { readonly kind: 'lose'; readonly machine: 0 | 1; readonly part: Part }
  | { readonly kind: 'clock'; readonly machine: 0 | 1; readonly hours: number };

export interface History {
  readonly seed: number;
  readonly setting: Setting;
  readonly acts: readonly Act[];
}

const LENGTHS = [4, 8, 14];
const PENDING = [[0], [0], [0, 1], [0, 10], [0, 30], [0, 100], [60]];

export function historyOf(seed: number): History {
  const random = new Seeded(seed);
  const setting: Setting = {
    memoryHours: random.pick([24, 720, Infinity]),
    order: random.pick(['replay', 'replay', 'validate']),
    hasLateEvents: random.chance(0.12),
    createdAheadMs: random.pick([0, 0, 0, 0, 0.5, -0.5]) * HOUR_MS,
    saysDate: random.chance(0.85),
    pendingHours: random.pick(PENDING),
    killRate: random.pick([0, 0.05, 0.2]),
    faultRate: random.pick([0, 0.15, 0.4]),
  };
  const count = random.pick(LENGTHS);
  const drawn = new Drawn(random);
  return { seed, setting, acts: [drawn.month(0), ...Array.from({ length: count }, () => drawn.act())] };
}

export function harshHistoryOf(seed: number): History {
  const { setting, ...history } = historyOf(seed);
  const harsh = { memoryHours: 24, pendingHours: [0, 100], killRate: 0.05, faultRate: 0.4 };
  return { ...history, setting: { ...setting, ...harsh } };
}

class Drawn {
  readonly #random: Seeded;
  readonly #most: Direction;

  constructor(random: Seeded) {
    this.#random = random;
    this.#most = random.pick(['payout', 'payout', 'payin']);
  }

  month(machine: 0 | 1): Act {
    return { kind: 'month', ...this.#doing(machine), sameReferences: this.#random.chance(0.5) };
  }

  act(): Act {
    const random = this.#random;
    const machine = random.chance(0.75) ? 0 : 1;
    const x = random.fraction();
    const part = random.pick(['both', 'both', 'store', 'mirror'] as const);
    if (x >= 0.72) return this.#accident(x, machine, part);
    const some = this.#doing(machine);
    if (x < 0.08) return { kind: 'month', ...some, sameReferences: random.chance(0.6) };
    if (x < 0.3) return { kind: 'rerun', ...some, variant: random.pick(VARIANTS) };
    if (x < 0.38) return { kind: 'resume', ...some, isOtherCompany: random.chance(0.08) };
    if (x < 0.48) return { kind: 'retry', ...some, isOtherCompany: random.chance(0.05) };
    if (x < 0.57) return { kind: 'resolve', ...some };
    if (x < 0.63) return { kind: 'single', ...some, hasOwnKey: random.chance(0.4) };
    if (x < 0.67) return { kind: 'again', ...some, hasOwnKey: random.chance(0.5) };
    return { kind: x < 0.7 ? 'repeat' : 'forget', ...some };
  }

  #accident(x: number, machine: 0 | 1, part: Part): Act {
    const random = this.#random;
    if (x < 0.84) return { kind: 'wait', hours: random.pick([0.02, 0.1, 1, 12, 26, 26, 50, 200, 720]) };
    if (x < 0.88) return { kind: 'backup', machine };
    if (x < 0.92) return { kind: 'restore', machine, backup: random.below(3), part };
    if (x < 0.96) return { kind: 'lose', machine, part };
    if (x < 0.985) return { kind: 'copy', machine };
    return { kind: 'clock', machine, hours: random.pick([8, -8, 0, 0, 0.4, -0.4]) };
  }

  #doing(machine: 0 | 1): Doing {
    const other = this.#most === 'payout' ? 'payin' : 'payout';
    const direction = this.#random.chance(0.85) ? this.#most : other;
    return { seed: this.#random.below(1 << 30), direction, machine };
  }
}
