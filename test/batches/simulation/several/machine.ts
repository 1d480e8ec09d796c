import type { MachineClock } from '../../../../src/runtime/clock.js';
import type { Time } from './time.js';

export class SeveralMachine {
  isDead = false;
  #untilMs = -Infinity;
  #frozenMs = 0;

  constructor(
    readonly time: Time,
    readonly aheadMs: number,
  ) {}

  stand(how: 'stopped' | 'asleep', ms: number): void {
    this.#untilMs = Math.max(this.#untilMs, this.time.nowMs + ms);
    if (how === 'asleep') this.#frozenMs += ms;
  }

  at(atMs: number, happen: () => void): void {
    this.time.at(atMs, () => {
      if (this.isDead) return;
      if (this.time.nowMs < this.#untilMs) this.at(this.#untilMs, happen);
      else happen();
    });
  }

  after(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.at(this.time.nowMs + ms, resolve);
    });
  }

  readonly clock: MachineClock = {
    now: () => this.time.nowMs + this.aheadMs,
    monotonic: () => this.time.nowMs - this.#frozenMs,
    boot: () => ({ bootId: 'its only one', bootMs: this.time.nowMs - this.#frozenMs }),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const abort = (): void => reject(signal?.reason as Error);
        if (signal?.aborted === true) abort();
        else signal?.addEventListener('abort', abort, { once: true });
        this.at(this.time.nowMs + ms, () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        });
      }),
  };

  readonly ticker = (ms: number, work: () => void): (() => void) => {
    let isOver = false;
    const next = (): void =>
      this.at(this.time.nowMs + ms, () => {
        if (isOver) return;
        work();
        next();
      });
    next();
    return () => {
      isOver = true;
    };
  };
}
