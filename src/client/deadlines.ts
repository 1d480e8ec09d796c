/** The time limits of many exchanges on one timer: a timer and its signal for each would cost as much as the exchange itself. */
import type { Clock } from '../runtime/clock.js';

interface Deadline {
  readonly atMs: number;
  readonly pass: () => void;
}

/** Ends a wait; given, because the error that an abort makes by itself is costly. */
const OVER = new Error('over');

export class Deadlines {
  readonly #clock: Clock;
  /** Reused places: a set would leave its outgrown tables behind, and each holds on to all that it held. */
  readonly #places: (Deadline | null)[] = [];
  readonly #free: number[] = [];
  #wait: AbortController | null = null;
  /** When the timer fires: never later than the earliest limit. */
  #wakeAtMs = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `pass` once that long from now, unless the function it answers was called before. While a limit is open, the process lives. */
  set(timeoutMs: number, pass: () => void): () => void {
    const deadline = { atMs: this.#clock.monotonic() + timeoutMs, pass };
    const place = this.#free.pop() ?? this.#places.length;
    this.#places[place] = deadline;
    if (deadline.atMs < this.#wakeAtMs) this.#sleepUntil(deadline.atMs);
    return () => {
      if (this.#places[place] !== deadline) return;
      this.#leave(place);
      if (this.#free.length === this.#places.length) this.#rest();
    };
  }

  #leave(place: number): void {
    this.#places[place] = null;
    this.#free.push(place);
  }

  #sleepUntil(atMs: number): void {
    this.#rest();
    const wait = new AbortController();
    this.#wait = wait;
    this.#wakeAtMs = atMs;
    this.#clock.sleep(atMs - this.#clock.monotonic(), wait.signal).then(
      () => this.#wake(),
      () => undefined,
    );
  }

  #rest(): void {
    this.#wakeAtMs = Infinity;
    this.#wait?.abort(OVER);
    this.#wait = null;
  }

  #wake(): void {
    this.#wait = null;
    this.#wakeAtMs = Infinity;
    const nowMs = this.#clock.monotonic();
    let earliestMs = Infinity;
    for (const [place, deadline] of this.#places.entries()) {
      if (deadline === null) continue;
      if (deadline.atMs > nowMs) earliestMs = Math.min(earliestMs, deadline.atMs);
      else {
        this.#leave(place);
        deadline.pass();
      }
    }
    if (earliestMs < this.#wakeAtMs) this.#sleepUntil(earliestMs);
  }
}
