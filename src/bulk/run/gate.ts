/** The gate that every sending of a run passes. It opens at a rate, can hold all back for a while, and closes once. */
import { type Clock, sleepUnlessAborted } from '../../runtime/clock.js';
import type { Stop } from './brake.js';

/** Timers are late; what they are late is caught up with, and a pause is not. */
export const MISSED_MS = 20;

export class Gate {
  readonly #clock: Clock;
  readonly #spacingMs: number;
  readonly #closing = new AbortController();
  #openAtMs = -Infinity;
  #slotAtMs = -Infinity;
  #stop: Stop | null = null;
  #failure: Error | null = null;

  /** @param ratePerSecond sendings; null for no limit @param signal asks the run to stop: nothing new passes */
  constructor(clock: Clock, ratePerSecond: number | null, signal: AbortSignal) {
    this.#clock = clock;
    this.#spacingMs = ratePerSecond === null ? 0 : 1000 / ratePerSecond;
    const onAbort = (): void => this.close({ kind: 'signal' });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true, signal: this.#closing.signal });
  }

  /** Why the gate is closed; null while it is not. The first reason stays. */
  get stop(): Stop | null {
    return this.#stop;
  }

  /** What the run has to end with, though everything under way is recorded; null where there is nothing. */
  get failure(): Error | null {
    return this.#failure;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Nothing passes any more, and those that wait are turned away. @param stop null when the run is simply over */
  close(stop: Stop | null): void {
    this.#stop ??= stop;
    this.#closing.abort();
  }

  /** Nothing passes any more, because of something that no row is to blame for. */
  fail(failure: Error): void {
    this.#failure ??= failure;
    this.close(null);
  }

  /** Everybody waits that long from now. */
  pause(ms: number): void {
    this.#openAtMs = Math.max(this.#openAtMs, this.#clock.monotonic() + ms);
  }

  /** Waits for its turn; false where the gate is closed: then nothing may be sent. */
  async pass(): Promise<boolean> {
    for (;;) {
      if (this.isClosed) return false;
      if (this.#spacingMs === 0 && this.#openAtMs === -Infinity) return true;
      const nowMs = this.#clock.monotonic();
      if (nowMs >= this.#openAtMs && nowMs >= this.#slotAtMs) {
        const first = this.#slotAtMs === -Infinity ? nowMs : this.#slotAtMs;
        this.#slotAtMs = Math.max(first, nowMs - MISSED_MS) + this.#spacingMs;
        return true;
      }
      await this.wait(Math.max(this.#openAtMs, this.#slotAtMs) - nowMs);
    }
  }

  /** Waits, at most until the gate closes. */
  async wait(ms: number): Promise<void> {
    await sleepUnlessAborted(this.#clock, ms, this.#closing.signal);
  }
}
