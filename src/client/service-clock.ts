/** The service's time, computed from its answers and the time since the last one. This machine's clock may be hours off. */
import {
  type Age,
  ageOf,
  type Moment,
  maxElapsedMs,
  serviceTimeOf,
  type TimeAnchor,
} from '../contract/moment.js';
import { KEY_SAFE_MS } from '../contract/limits.js';
import type { BootTime, MachineClock } from '../runtime/clock.js';
import { answeredAtMs, isTooOld, type HttpAnswer } from '../runtime/transport.js';

/** Says which answers may tell the time. */
export interface TimeTrust {
  /** True if no cache can be on the way, as with the embedded sandbox: then every answer proves the time. */
  readonly isDirect?: boolean | undefined;
  /** True if the time may go back: the sandbox's servers are restarted and reset. */
  readonly mayGoBack?: boolean | undefined;
}

export interface ServiceClockOptions extends TimeTrust {
  readonly clock: MachineClock;
  /** How far the service's clock was ahead of this machine's when svc last knew, in milliseconds. */
  readonly aheadMs?: number | undefined;
}

/** An answer whose time is this much earlier than the newest time comes from a cache. */
const STEP_BACK_MAX_MS = 60_000;

interface TimeReading {
  readonly serviceMs: number;
  readonly monotonicMs: number;
  readonly boot: BootTime;
}

/** The clock for ages of payments. It takes sleep and monotonic time from this machine. */
export class ServiceClock implements MachineClock {
  readonly #clock: MachineClock;
  readonly #trust: TimeTrust;
  #aheadMs: number;
  /** The last time that an answer proved in this process. */
  #proved: TimeReading | null = null;
  /** The last time from any answer, used until a time is proved. */
  #latest: TimeReading | null = null;
  /** The newest proved time on this machine, from this process or an earlier one. */
  #anchor: TimeAnchor | null = null;
  #earliestMs = -Infinity;

  constructor({ clock, aheadMs = 0, ...trust }: ServiceClockOptions) {
    this.#clock = clock;
    this.#aheadMs = aheadMs;
    this.#trust = trust;
  }

  /**
   * Takes the time from an answer that has arrived now. Ignores one without a `Date`, and one from a cache.
   * @param isProof no cache can have kept the answer: it is to a POST, or to a GET of something that nobody has asked for before
   */
  hear(answer: Pick<HttpAnswer, 'headers'>, isProof: boolean): void {
    const serviceMs = answeredAtMs(answer);
    if (serviceMs === null || isTooOld(answer)) return;
    // A batch gets thousands of answers in one second of the service. The first one is enough: a time counted from it makes no request younger.
    if (this.#proved?.serviceMs === serviceMs) return;
    const { isDirect = false, mayGoBack = false } = this.#trust;
    const newestAnchor = this.#anchor;
    if (newestAnchor !== null && serviceMs < newestAnchor.serviceMs - STEP_BACK_MAX_MS && !mayGoBack) return;
    const reading = {
      ...{ serviceMs, monotonicMs: this.#clock.monotonic() },
      boot: this.#clock.boot(),
    };
    this.#latest = reading;
    if (!isProof && !isDirect) return;
    this.#proved = reading;
    // The anchor never goes back even a little, because many small steps would add up.
    const earliestMs = mayGoBack || newestAnchor === null ? -Infinity : newestAnchor.serviceMs;
    this.#anchor = { ...reading.boot, serviceMs: Math.max(serviceMs, earliestMs) };
  }

  /** Takes the anchor that an earlier process kept, unless this process has proved a time itself. */
  remember(anchor: TimeAnchor | null): void {
    if (this.#proved === null) this.#anchor = anchor;
  }

  /** Returns the newest proved time, to keep for later processes; null if there never was one. */
  get anchor(): TimeAnchor | null {
    return this.#anchor;
  }

  /** Takes the time of an event that the service reported: its clock cannot be earlier. Counts only while no answer has told the time. */
  noteEventTime(serviceMs: number): void {
    if (serviceMs > this.#earliestMs) this.#earliestMs = serviceMs;
  }

  /** Sets how far the service's clock was ahead of this machine's when svc last knew. Counts until an answer tells the time. */
  assumeAhead(aheadMs: number): void {
    this.#aheadMs = aheadMs;
  }

  /** True once an answer has proved the time in this process. */
  isTimeProved(): boolean {
    return this.#proved !== null;
  }

  /** How far the service is ahead of this machine, in milliseconds; null before an answer tells the time. */
  get aheadMs(): number | null {
    return (this.#proved ?? this.#latest) === null ? null : this.now() - this.#clock.now();
  }

  /** The best estimate of the service's time, in milliseconds since the epoch. */
  now(): number {
    return this.at(this.#clock.monotonic());
  }

  /** The service's time at a moment of this machine's monotonic clock. */
  at(monotonicMs: number): number {
    const reading = this.#proved ?? this.#latest;
    if (reading !== null) return reading.serviceMs + (monotonicMs - reading.monotonicMs);
    const localMs = this.#clock.now() + (monotonicMs - this.#clock.monotonic());
    return Math.max(localMs + this.#aheadMs, this.#earliestMs);
  }

  /** The present moment, to record with a request. A time proved since the machine's boot is enough: an error only makes the request older. */
  moment(): Moment {
    const boot = this.boot();
    const machineTime = { ...boot, wallMs: this.#clock.now() };
    return { ...machineTime, serviceMs: this.#provedMs(boot) ?? serviceTimeOf(this.#anchor, machineTime) };
  }

  /**
   * The age of a request. Only times that this process has proved count: since an earlier process proved one, the machine may have been frozen.
   * @param sharedMs the time of the database that machines share
   */
  ageOf(then: Moment, sharedMs?: number): Age {
    return ageOf(then, this.#present(sharedMs));
  }

  /** True if a request of this process may be sent again: no clock says that more than 23 hours have passed since the moment. */
  maySendAgain(then: Moment, sharedMs?: number): boolean {
    return maxElapsedMs(then, this.#present(sharedMs)) <= KEY_SAFE_MS;
  }

  /** How long ago `serviceMs` was by the service's clock; null if this process has not proved its time. */
  sinceMs(serviceMs: number): number | null {
    const provedMs = this.#provedMs();
    return provedMs === null ? null : provedMs - serviceMs;
  }

  boot(): BootTime {
    return this.#clock.boot();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }

  #present(sharedMs: number | undefined): Moment {
    const boot = this.boot();
    return { ...boot, wallMs: this.#clock.now(), serviceMs: this.#provedMs(boot), sharedMs };
  }

  /** The proved time plus the time since, by the clock that also counts the machine's sleep. */
  #provedMs(boot = this.boot()): number | null {
    const reading = this.#proved;
    if (reading === null) return null;
    const passedMs = this.#clock.monotonic() - reading.monotonicMs;
    return reading.serviceMs + Math.max(passedMs, boot.bootMs - reading.boot.bootMs);
  }
}
