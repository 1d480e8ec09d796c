/** A worker at a batch: its rows are lent to it for as long as it is heard of, and it sends only while nobody else can have been given them. */
import type { Clock, Ticker } from '../../../runtime/clock.js';
import type { Stop } from '../../run/gate.js';
import type { Control, Worker } from '../worker.js';
import type { Connection } from '../../../state/connection.js';
import { leaseLost } from '../../../state/failures.js';
import { END, PAUSE, RENEW, STOP } from './statements.js';

/** Who works here, and how long it may be away. */
export interface WorkerFacts {
  /** Machine or pod, as people know it. */
  readonly name: string;
  /** The version of the program. */
  readonly program: string;
  /** After so long without a word its rows may be taken. */
  readonly leaseMs: number;
  /** Nothing leaves so shortly before that: the last request has its answer by then, or has run out. */
  readonly marginMs: number;
}

export interface LeaseWorld extends WorkerFacts {
  readonly connection: Connection;
  /** This machine's: it stands beside one that never goes back, because either may stand still or be set. */
  readonly clock: Clock;
  readonly ticker: Ticker;
}

/** How often a worker is heard of while it has nothing to record. */
const BEAT_MS = 1000;

export interface ControlRecord {
  readonly pause_ms: number | null;
  readonly stopped: Stop | null;
}

interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export class Lease implements Worker {
  readonly #world: LeaseWorld;
  /** Both clocks, when the lease is over: counted from before it was asked for. */
  #until: Moment;
  #isGone = false;
  #onControl: (control: Control) => void = () => undefined;
  #renewing: Promise<void> | null = null;
  readonly #endBeat: () => void;
  /** Of the last exchange. */
  seq = 0;
  late = 0;
  /** Rows in hand: number and generation. */
  readonly inHand = new Map<number, number>();

  constructor(
    readonly batch: number,
    /** Grows: whoever has a greater one came later. */
    readonly worker: number,
    since: Moment,
    world: LeaseWorld,
  ) {
    this.#world = world;
    this.#until = this.#after(since);
    this.#endBeat = world.ticker(BEAT_MS, () => void this.#renew().catch(() => undefined));
  }

  static moment({ clock }: Pick<LeaseWorld, 'clock'>): Moment {
    return { monotonicMs: clock.monotonic(), wallMs: clock.now() };
  }

  /** True once others have its rows. */
  get isGone(): boolean {
    return this.#isGone;
  }

  async mayLeave(): Promise<void> {
    for (;;) {
      if (this.#isGone) throw leaseLost();
      if (this.#isGood()) return;
      await this.#renew();
    }
  }

  listen(onControl: (control: Control) => void): void {
    this.#onControl = onControl;
  }

  async pause(ms: number): Promise<void> {
    await this.#world.connection.run(PAUSE, [this.batch, Math.ceil(ms)]);
  }

  async stop(stop: Stop): Promise<void> {
    await this.#world.connection.run(STOP, [this.batch, JSON.stringify({ ...stop, by: this.#world.name })]);
  }

  /** At most once tried: what cannot be said now, the end of the lease says. */
  async end(): Promise<void> {
    this.#endBeat();
    if (this.#isGone) return;
    this.#isGone = true;
    await this.#world.connection.once(END, [this.worker]).catch(() => undefined);
  }

  /** A word of the database that this worker was at work at a moment, or was not any more. */
  heard(since: Moment, isAlive: boolean, { pause_ms: pauseMs, stopped }: ControlRecord): void {
    if (!isAlive) this.#isGone = true;
    else {
      const { monotonicMs, wallMs } = this.#after(since);
      this.#until = {
        monotonicMs: Math.max(this.#until.monotonicMs, monotonicMs),
        wallMs: Math.max(this.#until.wallMs, wallMs),
      };
    }
    this.#onControl({ pauseMs: pauseMs ?? 0, stopped });
  }

  #isGood(): boolean {
    const { clock, marginMs } = this.#world;
    const { monotonicMs, wallMs } = this.#until;
    return clock.monotonic() < monotonicMs - marginMs && clock.now() < wallMs - marginMs;
  }

  #after({ monotonicMs, wallMs }: Moment): Moment {
    const { leaseMs } = this.#world;
    return { monotonicMs: monotonicMs + leaseMs, wallMs: wallMs + leaseMs };
  }

  #renew(): Promise<void> {
    this.#renewing ??= this.#renewNow().finally(() => (this.#renewing = null));
    return this.#renewing;
  }

  async #renewNow(): Promise<void> {
    if (this.#isGone) return;
    const { connection, leaseMs } = this.#world;
    const since = Lease.moment(this.#world);
    const { rows } = await connection.run<ControlRecord>(RENEW, [this.worker, leaseMs]);
    const [control] = rows;
    this.heard(since, control !== undefined, control ?? { pause_ms: 0, stopped: null });
  }
}
