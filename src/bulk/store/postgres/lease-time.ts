/** How long a lease is good, by both clocks of this machine, and what time it is for the database. */
import type { LeaseWorld } from './worker-world.js';

/** Both clocks: either may stand still or be set. */
export interface LeaseMoment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

type TimeWorld = Pick<LeaseWorld, 'clock' | 'leaseMs' | 'marginMs' | 'ages'>;

export function momentNow({ clock }: Pick<LeaseWorld, 'clock'>): LeaseMoment {
  return { monotonicMs: clock.monotonic(), wallMs: clock.now() };
}

export class LeaseTime {
  readonly #world: TimeWorld;
  /** When the lease is over: counted from before it was asked for. */
  #until: LeaseMoment;
  /** A moment of the database's time, and of this machine's. */
  #heard: { readonly databaseMs: number; readonly monotonicMs: number };

  constructor(since: LeaseMoment, databaseMs: number, world: TimeWorld) {
    this.#world = world;
    this.#until = this.#after(since);
    this.#heard = this.#hear(databaseMs);
  }

  /** The database's time; null where it does not count. */
  get databaseMs(): number | null {
    const { ages, clock } = this.#world;
    if (ages === 'caller') return null;
    return this.#heard.databaseMs + (clock.monotonic() - this.#heard.monotonicMs);
  }

  /** Nobody can have been given its rows until the answer to what leaves now is there. */
  get isGood(): boolean {
    const { clock, marginMs } = this.#world;
    const { monotonicMs, wallMs } = this.#until;
    return clock.monotonic() < monotonicMs - marginMs && clock.now() < wallMs - marginMs;
  }

  /** The database has just said what time it is. */
  hear(databaseMs: number): void {
    this.#heard = this.#hear(databaseMs);
  }

  /** The lease was renewed. @param since when that was asked for */
  renew(since: LeaseMoment): void {
    const { monotonicMs, wallMs } = this.#after(since);
    this.#until = {
      monotonicMs: Math.max(this.#until.monotonicMs, monotonicMs),
      wallMs: Math.max(this.#until.wallMs, wallMs),
    };
  }

  #after({ monotonicMs, wallMs }: LeaseMoment): LeaseMoment {
    const { leaseMs } = this.#world;
    return { monotonicMs: monotonicMs + leaseMs, wallMs: wallMs + leaseMs };
  }

  #hear(databaseMs: number) {
    return { databaseMs, monotonicMs: this.#world.clock.monotonic() };
  }
}
