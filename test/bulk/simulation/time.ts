/** Simulated time: it stands still while anything can happen now, then moves to the next thing that is due. */
import type { Clock } from '../../../src/runtime/clock.js';

interface Due {
  readonly atMs: number;
  readonly order: number;
  readonly wake: () => void;
}

export class SimulatedTime implements Clock {
  #nowMs: number;
  #order = 0;
  #due: Due[] = [];
  /** Moves the wall clock alone. */
  jumpMs = 0;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs + this.jumpMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const due: Due = { atMs: this.#nowMs + ms, order: (this.#order += 1), wake: resolve };
      this.#due.push(due);
      signal?.addEventListener(
        'abort',
        () => {
          this.#due = this.#due.filter((other) => other !== due);
          reject(signal.reason as Error);
        },
        { once: true },
      );
    });
  }

  /** Forgets everything that is due: the process that waited for it is gone. */
  clear(): void {
    this.#due = [];
  }

  /** Lets time pass until the work is done, or nothing is due any more; true where it is done. */
  async run(work: Promise<unknown>, isDead: () => boolean): Promise<boolean> {
    const state = { isDone: false };
    work.then(
      () => (state.isDone = true),
      () => (state.isDone = true),
    );
    for (;;) {
      // Everything that can happen now happens before the clock moves.
      await new Promise((resolve) => setImmediate(resolve));
      if (state.isDone) return true;
      if (isDead()) return false;
      const next = this.#due.reduce<Due | null>(
        (first, due) =>
          first === null || due.atMs < first.atMs || (due.atMs === first.atMs && due.order < first.order)
            ? due
            : first,
        null,
      );
      if (next === null) throw new Error('the run waits for nothing');
      this.#due = this.#due.filter((due) => due !== next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.wake();
    }
  }
}
