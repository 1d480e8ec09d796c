import { type Clock, sleepUnlessAborted } from '../../runtime/clock.js';
import type { Stop } from '../../storage/batches/worker.js';

export const TIMER_DELAY_MAX_MS = 20;

export class Gate {
  readonly #clock: Clock;
  readonly #spacingMs: number;
  readonly #closing = new AbortController();
  #openAtMs = -Infinity;
  #slotAtMs = -Infinity;
  stop: Stop | null = null;
  failure: Error | null = null;

  constructor(clock: Clock, ratePerSecond: number | null, signal: AbortSignal) {
    this.#clock = clock;
    this.#spacingMs = ratePerSecond === null ? 0 : 1000 / ratePerSecond;
    const onAbort = (): void => this.close({ kind: 'signal' });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true, signal: this.#closing.signal });
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  close(stop: Stop | null): void {
    this.stop ??= stop;
    this.#closing.abort();
  }

  fail(failure: Error): void {
    this.failure ??= failure;
    this.close(null);
  }

  pause(ms: number): void {
    this.#openAtMs = Math.max(this.#openAtMs, this.#clock.monotonic() + ms);
  }

  async pass(): Promise<boolean> {
    for (;;) {
      if (this.isClosed) return false;
      if (this.#spacingMs === 0 && this.#openAtMs === -Infinity) return true;
      const nowMs = this.#clock.monotonic();
      if (nowMs >= this.#openAtMs && nowMs >= this.#slotAtMs) {
        const slotAtMs = this.#slotAtMs === -Infinity ? nowMs : this.#slotAtMs;
        this.#slotAtMs = Math.max(slotAtMs, nowMs - TIMER_DELAY_MAX_MS) + this.#spacingMs;
        return true;
      }
      await this.wait(Math.max(this.#openAtMs, this.#slotAtMs) - nowMs);
    }
  }

  async wait(ms: number): Promise<void> {
    await sleepUnlessAborted(this.#clock, ms, this.#closing.signal);
  }
}
