/** What time it is for the service: the `Date` of its newest answer and what has passed since. This machine's clock may be hours off. */
import type { Clock } from '../runtime/clock.js';
import { answeredAtMs, type HttpAnswer } from '../runtime/transport.js';

export interface ServiceClockOptions {
  readonly clock: Clock;
  /** How far the service was ahead of this machine when that was last known, in milliseconds. */
  readonly aheadMs?: number | undefined;
}

/** A clock that ages are counted by. Sleeping and measuring are those of this machine. */
export class ServiceClock implements Clock {
  readonly #clock: Clock;
  #aheadMs: number;
  #heard: { readonly serviceMs: number; readonly monotonicMs: number; readonly wallMs: number } | null = null;
  #leastMs = -Infinity;

  constructor({ clock, aheadMs = 0 }: ServiceClockOptions) {
    this.#clock = clock;
    this.#aheadMs = aheadMs;
  }

  /** Takes the time from an answer that has just come; one without a `Date` says nothing. */
  hear(answer: Pick<HttpAnswer, 'headers'>): void {
    const serviceMs = answeredAtMs(answer);
    if (serviceMs === null) return;
    this.#heard = { serviceMs, monotonicMs: this.#clock.monotonic(), wallMs: this.#clock.now() };
  }

  /** The service has said of something that it happened then: it is no earlier now. Counts where no answer carries a `Date`. */
  atLeast(serviceMs: number): void {
    if (serviceMs > this.#leastMs) this.#leastMs = serviceMs;
  }

  /** How far the service was ahead when that was last known. Counts until an answer is heard. */
  expect(aheadMs: number): void {
    this.#aheadMs = aheadMs;
  }

  /** True once an answer has said what time it is. */
  isHeard(): boolean {
    return this.#heard !== null;
  }

  /** How far the service is ahead of this machine, in milliseconds; null where no answer has said it. */
  get aheadMs(): number | null {
    return this.#heard === null ? null : this.now() - this.#clock.now();
  }

  /** The service's time in milliseconds since the epoch. */
  now(): number {
    return this.at(this.#clock.monotonic());
  }

  /** What the service's time was, or will be, when this machine's monotonic clock shows that. */
  at(monotonicMs: number): number {
    if (this.#heard !== null) return this.#heard.serviceMs + (monotonicMs - this.#heard.monotonicMs);
    const localMs = this.#clock.now() + (monotonicMs - this.#clock.monotonic());
    return Math.max(localMs + this.#aheadMs, this.#leastMs);
  }

  /**
   * How long ago that was, at the most, in milliseconds of the service's time: a machine that slept has not counted the time on its
   * monotonic clock, and its wall clock alone may have been set.
   */
  ageMs(serviceMs: number): number {
    const sleptMs =
      this.#heard === null
        ? 0
        : this.#clock.now() - this.#heard.wallMs - (this.#clock.monotonic() - this.#heard.monotonicMs);
    return this.now() - serviceMs + Math.max(0, sleptMs);
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }
}
