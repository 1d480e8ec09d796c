import type { Clock, Ticker } from '../../../runtime/clock.js';
import type { Failure } from '../../../runtime/failure.js';
import type { Cluster } from '../../postgres/cluster.js';
import type { Connection } from '../../postgres/connection.js';
import { commitsLostFailure, leaseLostFailure } from '../../postgres/failures.js';
import type { Control, Stop, Worker } from '../worker.js';
import { END_WORKER, LIMIT_RATE, PAUSE_BATCH, renewOn, STOP_BATCH, TAKE_SLOT } from './worker-statements.js';
import type { Servers } from './home.js';

export interface LeaseWorld {
  readonly name: string;
  readonly program: string;
  readonly leaseMs: number;
  /** Nothing is sent in the last `marginMs` of a lease, because a request needs time for its answer. */
  readonly marginMs: number;
  readonly connection: Connection;
  readonly servers: Servers;
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly say: (text: string) => void;
  readonly ages: 'both' | 'caller';
}

export interface ControlRecord {
  readonly pause_ms: number | null;
  readonly stopped: Stop | null;
  readonly silent_rows: number | null;
  readonly now_ms: number;
}

export interface JoinedRecord extends Pick<ControlRecord, 'now_ms'> {
  readonly worker: number;
  readonly rate: number | null;
}

const HEARTBEAT_MS = 1000;

export class Lease implements Worker {
  readonly #world: LeaseWorld;
  #provedAt: LeaseMoment;
  #clocksAtAnswer: { readonly databaseMs: number; readonly monotonicMs: number };
  #isGone = false;
  #hasLostCommits = false;
  #onControl: (control: Control) => void = () => undefined;
  #renewal: Promise<void> | null = null;
  readonly #endHeartbeat: () => void;
  ratePerSecond: number | null;
  silentRows = 0;
  readonly worker: number;
  /** The token identifies the worker, because another server may give the same number to another worker. */
  readonly #token: string;
  /** Only this server may answer, because another one may have lost acknowledged commits. */
  readonly home: Cluster;
  seq = 0;
  lateResults = 0;
  readonly inHand = new Map<number, number>();

  constructor(
    readonly batch: number,
    joined: JoinedRecord & { readonly token: string; readonly home: Cluster },
    startMoment: LeaseMoment,
    world: LeaseWorld,
  ) {
    this.#world = world;
    [this.worker, this.#token, this.home] = [joined.worker, joined.token, joined.home];
    this.ratePerSecond = joined.rate;
    this.#provedAt = startMoment;
    this.#clocksAtAnswer = { databaseMs: joined.now_ms, monotonicMs: world.clock.monotonic() };
    this.#endHeartbeat = world.ticker(HEARTBEAT_MS, () => void this.#renew().catch(() => undefined));
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  get lossFailure(): Failure {
    return this.#hasLostCommits ? commitsLostFailure() : leaseLostFailure();
  }

  get databaseMs(): number | null {
    const { ages, clock } = this.#world;
    const { databaseMs, monotonicMs } = this.#clocksAtAnswer;
    return ages === 'caller' ? null : databaseMs + (clock.monotonic() - monotonicMs);
  }

  get isGood(): boolean {
    const { clock, leaseMs, marginMs } = this.#world;
    const { monotonicMs, wallMs } = this.#provedAt;
    const goodMs = leaseMs - marginMs;
    return !this.#isGone && clock.monotonic() < monotonicMs + goodMs && clock.now() < wallMs + goodMs;
  }

  async requireLease(): Promise<void> {
    for (;;) {
      if (this.#isGone) throw this.lossFailure;
      if (this.isGood) return;
      await this.#renew();
    }
  }

  listen(onControl: (control: Control) => void): void {
    this.#onControl = onControl;
  }

  async pause(ms: number): Promise<void> {
    await this.#world.connection.run(PAUSE_BATCH, [this.batch, Math.ceil(ms)]);
  }

  async setRate(ratePerSecond: number | null): Promise<void> {
    await this.#world.connection.run(LIMIT_RATE, [this.batch, ratePerSecond]);
    this.ratePerSecond = ratePerSecond;
  }

  async slot(): Promise<number> {
    const { rows } = await this.#world.connection.run<{ slots_end_ms: number }>(TAKE_SLOT, [this.batch]);
    return rows[0] === undefined
      ? this.#world.clock.monotonic()
      : (this.slotMomentOf(rows[0].slots_end_ms, 1, 0) ?? -Infinity);
  }

  slotMomentOf(endMs: number | null, count: number, index: number): number | null {
    if (this.ratePerSecond === null) return null;
    if (endMs === null) return -Infinity;
    return this.#world.clock.monotonic() + endMs - ((count - index) * 1000) / this.ratePerSecond;
  }

  reportSilentRows(rows: number): void {
    this.silentRows = rows;
  }

  async stop(stop: Stop): Promise<void> {
    await this.#world.connection.run(STOP_BATCH, [
      this.batch,
      JSON.stringify({ ...stop, by: this.#world.name }),
    ]);
  }

  async end(): Promise<void> {
    this.#endHeartbeat();
    if (this.#isGone && !this.#hasLostCommits) return;
    this.#isGone = true;
    await this.#world.connection.runOnce(END_WORKER, [this.worker, this.#token]).catch(() => undefined);
  }

  loseCommits(): Failure {
    [this.#isGone, this.#hasLostCommits] = [true, true];
    return this.lossFailure;
  }

  noteAnswer(startMoment: LeaseMoment, isAlive: boolean, control: ControlRecord | null): void {
    const { monotonicMs, wallMs } = this.#provedAt;
    if (!isAlive) this.#isGone = true;
    else
      this.#provedAt = {
        monotonicMs: Math.max(monotonicMs, startMoment.monotonicMs),
        wallMs: Math.max(wallMs, startMoment.wallMs),
      };
    if (control === null) return;
    const { pause_ms: pauseMs, stopped, silent_rows: silentRows, now_ms: databaseMs } = control;
    this.#clocksAtAnswer = { databaseMs, monotonicMs: this.#world.clock.monotonic() };
    this.#onControl({ pauseMs: pauseMs ?? 0, stopped, silentRows: silentRows ?? 0 });
  }

  #renew(): Promise<void> {
    this.#renewal ??= this.#renewNow().finally(() => (this.#renewal = null));
    return this.#renewal;
  }

  async #renewNow(): Promise<void> {
    if (this.#isGone) return;
    const { connection, leaseMs, servers } = this.#world;
    const { cluster, timeline } = this.home;
    const text = await servers.text(renewOn);
    const startMoment = momentNow(this.#world);
    const values = [this.worker, leaseMs, this.silentRows, cluster, timeline];
    const [record] = (await connection.run<ControlRecord & { home: boolean; alive: boolean }>(text, values))
      .rows;
    if (record?.home === false) this.loseCommits();
    else this.noteAnswer(startMoment, record?.alive === true, record?.alive === true ? record : null);
  }
}

export interface LeaseMoment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function momentNow({ clock }: Pick<LeaseWorld, 'clock'>): LeaseMoment {
  return { monotonicMs: clock.monotonic(), wallMs: clock.now() };
}
