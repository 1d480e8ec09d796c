/** A worker of a batch. It holds its rows while it renews its lease, and sends only while nobody else can hold them. */
import type { Stop } from '../../run/brake.js';
import type { Clock, Ticker } from '../../../runtime/clock.js';
import type { Failure } from '../../../runtime/failure.js';
import type { Cluster } from '../../../state/cluster.js';
import type { Connection } from '../../../state/connection.js';
import { commitsLost, leaseLost } from '../../../state/failures.js';
import type { Control, Worker } from '../worker.js';
import { END, LIMIT, PAUSE, renewOn, SLOT, STOP } from './worker-statements.js';
import type { Servers } from './home.js';

/** Who works here, and how long it may be away. */
export interface LeaseWorld {
  /** Machine or pod, as people know it. */
  readonly name: string;
  readonly program: string;
  /** After so long without a word its rows may be taken. */
  readonly leaseMs: number;
  /** Nothing leaves so shortly before that: the last request has its answer by then, or has run out. */
  readonly marginMs: number;
  readonly connection: Connection;
  readonly servers: Servers;
  /** This machine's: it stands beside one that never goes back, because either may stand still or be set. */
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly say: (text: string) => void;
  /**
   * Whose clocks say how old a row is: the service's, which callers know, and the database's as well, because a machine that hears no time of
   * the service counts by its own; or the callers' alone.
   */
  readonly ages: 'both' | 'caller';
}

export interface ControlRecord {
  readonly pause_ms: number | null;
  readonly stopped: Stop | null;
  readonly silent_rows: number | null;
  /** Now, by the clock of the database. */
  readonly now_ms: number;
}

export interface JoinedRecord extends Pick<ControlRecord, 'now_ms'> {
  readonly worker: number;
  readonly rate: number | null;
}

export interface Joined extends JoinedRecord {
  /** Says which one it is, whatever number another server gives. */
  readonly token: string;
  /** The server that forgot nothing of the batch when it joined. */
  readonly home: Cluster;
}

/** How often a worker is heard of while it has nothing to record. */
const HEARTBEAT_MS = 1000;

interface Renewed extends ControlRecord {
  readonly home: boolean;
  readonly alive: boolean;
}

export class Lease implements Worker {
  readonly #world: LeaseWorld;
  readonly #time: LeaseTime;
  #isGone = false;
  #hasLostCommits = false;
  #onControl: (control: Control) => void = () => undefined;
  #renewing: Promise<void> | null = null;
  readonly #endHeartbeat: () => void;
  ratePerSecond: number | null;
  silentRows = 0;
  /** Nobody else has ever had it. */
  readonly worker: number;
  readonly #token: string;
  /** The server that has to answer: another one may have forgotten what was acknowledged. */
  readonly home: Cluster;
  seq = 0;
  late = 0;
  /** Rows in hand: number and generation. */
  readonly inHand = new Map<number, number>();

  constructor(
    readonly batch: number,
    joined: Joined,
    since: LeaseMoment,
    world: LeaseWorld,
  ) {
    this.#world = world;
    [this.worker, this.#token, this.home] = [joined.worker, joined.token, joined.home];
    this.ratePerSecond = joined.rate;
    this.#time = new LeaseTime(since, joined.now_ms, world);
    this.#endHeartbeat = world.ticker(HEARTBEAT_MS, () => void this.#renew().catch(() => undefined));
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** What a run ends with that has lost its rows. */
  get loss(): Failure {
    return this.#hasLostCommits ? commitsLost() : leaseLost();
  }

  get timeMs(): number | null {
    return this.#time.databaseMs;
  }

  get isGood(): boolean {
    return !this.#isGone && this.#time.isGood;
  }

  async mayLeave(): Promise<void> {
    for (;;) {
      if (this.#isGone) throw this.loss;
      if (this.#time.isGood) return;
      await this.#renew();
    }
  }

  listen(onControl: (control: Control) => void): void {
    this.#onControl = onControl;
  }

  async pause(ms: number): Promise<void> {
    await this.#world.connection.run(PAUSE, [this.batch, Math.ceil(ms)]);
  }

  /** Another rate, of one that is alone. */
  async limit(ratePerSecond: number | null): Promise<void> {
    await this.#world.connection.run(LIMIT, [this.batch, ratePerSecond]);
    this.ratePerSecond = ratePerSecond;
  }

  async slot(): Promise<number> {
    const { rows } = await this.#world.connection.run<{ slots_end_ms: number }>(SLOT, [this.batch]);
    // Where there is none any more, it need not wait.
    return rows[0] === undefined
      ? this.#world.clock.monotonic()
      : (this.momentOf(rows[0].slots_end_ms, 1, 0) ?? -Infinity);
  }

  /**
   * When a row of a claim may leave, by the monotonic clock; null where there is no rate. One whose moment is not known has missed it.
   * @param endMs how far the end of the last moment is, just now
   */
  momentOf(endMs: number | null, count: number, index: number): number | null {
    if (this.ratePerSecond === null) return null;
    if (endMs === null) return -Infinity;
    return this.#world.clock.monotonic() + endMs - ((count - index) * 1000) / this.ratePerSecond;
  }

  silent(rows: number): void {
    this.silentRows = rows;
  }

  async stop(stop: Stop): Promise<void> {
    await this.#world.connection.run(STOP, [this.batch, JSON.stringify({ ...stop, by: this.#world.name })]);
  }

  /** At most once tried: what cannot be said now, the end of the lease says. */
  async end(): Promise<void> {
    this.#endHeartbeat();
    // The server that took over may know it too: a resume there need not wait.
    if (this.#isGone && !this.#hasLostCommits) return;
    this.#isGone = true;
    await this.#world.connection.once(END, [this.worker, this.#token]).catch(() => undefined);
  }

  /** What was acknowledged may be forgotten: nothing leaves any more. */
  loseCommits(): Failure {
    [this.#isGone, this.#hasLostCommits] = [true, true];
    return this.loss;
  }

  /** A word of the database that this worker was at work at a moment, or was not any more. */
  heard(since: LeaseMoment, isAlive: boolean, control: ControlRecord | null): void {
    if (!isAlive) this.#isGone = true;
    else this.#time.renew(since);
    if (control === null) return;
    const { pause_ms: pauseMs, stopped, silent_rows: silentRows, now_ms: databaseMs } = control;
    this.#time.hear(databaseMs);
    this.#onControl({ pauseMs: pauseMs ?? 0, stopped, silentRows: silentRows ?? 0 });
  }

  #renew(): Promise<void> {
    this.#renewing ??= this.#renewNow().finally(() => (this.#renewing = null));
    return this.#renewing;
  }

  async #renewNow(): Promise<void> {
    if (this.#isGone) return;
    const { connection, leaseMs, servers } = this.#world;
    const { cluster, timeline } = this.home;
    const text = await servers.text(renewOn);
    const since = momentNow(this.#world);
    const values = [this.worker, leaseMs, this.silentRows, cluster, timeline];
    const [renewed] = (await connection.run<Renewed>(text, values)).rows;
    if (renewed?.home === false) this.loseCommits();
    else this.heard(since, renewed?.alive === true, renewed?.alive === true ? renewed : null);
  }
}

/** Both clocks: either may stand still or be set. */
export interface LeaseMoment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

type TimeWorld = Pick<LeaseWorld, 'clock' | 'leaseMs' | 'marginMs' | 'ages'>;

export function momentNow({ clock }: Pick<LeaseWorld, 'clock'>): LeaseMoment {
  return { monotonicMs: clock.monotonic(), wallMs: clock.now() };
}

/** How long a lease is good, by both clocks of this machine, and what time it is for the database. */
class LeaseTime {
  readonly #world: TimeWorld;
  /** When the lease is over: counted from before it was asked for. */
  #until: LeaseMoment;
  /** A moment of the database's time, and of this machine's. */
  #heard: { readonly databaseMs: number; readonly monotonicMs: number };

  constructor(since: LeaseMoment, databaseMs: number, world: TimeWorld) {
    this.#world = world;
    this.#until = this.#after(since);
    this.#heard = { databaseMs, monotonicMs: world.clock.monotonic() };
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
    this.#heard = { databaseMs, monotonicMs: this.#world.clock.monotonic() };
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
}
