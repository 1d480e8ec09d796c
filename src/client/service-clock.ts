/** This machine's clock may be hours off, so the service's answers say what time it is. */
import { ageOf, maxElapsedMs, serviceTimeOf } from '../contract/moment.js';
import type { Age, Moment, TimeAnchor } from '../contract/moment.js';
import { KEY_SAFE_MS } from '../contract/limits.js';
import type { BootTime, MachineClock } from '../runtime/clock.js';
import { answeredAtMs, isTooOld, type HttpAnswer } from '../runtime/transport.js';

export interface TimeTrust {
  /** True if no cache is on the way to the service, so that every answer proves the time. */
  readonly isDirect?: boolean | undefined;
  readonly mayGoBack?: boolean | undefined;
}

const STEP_BACK_MAX_MS = 60_000;

interface TimeReading {
  readonly serviceMs: number;
  readonly monotonicMs: number;
  readonly boot: BootTime;
}

export class ServiceClock implements MachineClock {
  readonly #clock: MachineClock;
  readonly #trust: TimeTrust;
  #assumedAheadMs: number;
  #provedReading: TimeReading | null = null;
  #latestReading: TimeReading | null = null;
  #anchor: TimeAnchor | null = null;
  #earliestMs = -Infinity;

  constructor({
    clock,
    aheadMs = 0,
    ...trust
  }: TimeTrust & { readonly clock: MachineClock; readonly aheadMs?: number | undefined }) {
    this.#clock = clock;
    this.#assumedAheadMs = aheadMs;
    this.#trust = trust;
  }

  hear(answer: Pick<HttpAnswer, 'headers'>, isProof: boolean): void {
    const serviceMs = answeredAtMs(answer);
    if (serviceMs === null || isTooOld(answer)) return;
    if (this.#provedReading?.serviceMs === serviceMs) return;
    const { isDirect = false, mayGoBack = false } = this.#trust;
    const newestAnchor = this.#anchor;
    if (newestAnchor !== null && serviceMs < newestAnchor.serviceMs - STEP_BACK_MAX_MS && !mayGoBack) return;
    const reading = { serviceMs, monotonicMs: this.#clock.monotonic(), boot: this.#clock.boot() };
    this.#latestReading = reading;
    if (!isProof && !isDirect) return;
    this.#provedReading = reading;
    // Without `mayGoBack` the anchor never goes back, because many small steps would add up.
    const anchorMinMs = mayGoBack || newestAnchor === null ? -Infinity : newestAnchor.serviceMs;
    this.#anchor = { ...reading.boot, serviceMs: Math.max(serviceMs, anchorMinMs) };
  }

  remember(anchor: TimeAnchor | null): void {
    if (this.#provedReading === null) this.#anchor = anchor;
  }

  get anchor(): TimeAnchor | null {
    return this.#anchor;
  }

  noteEventTime(serviceMs: number): void {
    if (serviceMs > this.#earliestMs) this.#earliestMs = serviceMs;
  }

  assumeAhead(aheadMs: number): void {
    this.#assumedAheadMs = aheadMs;
  }

  isTimeProved(): boolean {
    return this.#provedReading !== null;
  }

  get aheadMs(): number | null {
    return (this.#provedReading ?? this.#latestReading) === null ? null : this.now() - this.#clock.now();
  }

  now(): number {
    return this.at(this.#clock.monotonic());
  }

  at(monotonicMs: number): number {
    const reading = this.#provedReading ?? this.#latestReading;
    if (reading !== null) return reading.serviceMs + (monotonicMs - reading.monotonicMs);
    const localMs = this.#clock.now() + (monotonicMs - this.#clock.monotonic());
    return Math.max(localMs + this.#assumedAheadMs, this.#earliestMs);
  }

  moment(): Moment {
    const boot = this.boot();
    const machineTime = { ...boot, wallMs: this.#clock.now() };
    return { ...machineTime, serviceMs: this.#provedMs(boot) ?? serviceTimeOf(this.#anchor, machineTime) };
  }

  ageOf(then: Moment, sharedMs?: number): Age {
    return ageOf(then, this.#present(sharedMs));
  }

  maySendAgain(then: Moment, sharedMs?: number): boolean {
    return maxElapsedMs(then, this.#present(sharedMs)) <= KEY_SAFE_MS;
  }

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

  /** The boot time includes sleep, which the monotonic clock may miss. */
  #provedMs(boot = this.boot()): number | null {
    const reading = this.#provedReading;
    if (reading === null) return null;
    const passedMs = this.#clock.monotonic() - reading.monotonicMs;
    return reading.serviceMs + Math.max(passedMs, boot.bootMs - reading.boot.bootMs);
  }
}
