/** Whether the place in the feed is saved: for how long something that was accepted has been missing in it. */
import type { Clocks } from './clocks.js';

export interface SavedFacts {
  /** For how long something accepted has been missing; 0 for nothing. */
  readonly ageMs: number;
  /** The last attempt to save it failed. */
  readonly hasFailed: boolean;
  /** On this machine's wall clock; null where this run has not saved it yet. */
  readonly savedAtMs: number | null;
}

export class SavedPlace {
  readonly #clocks: Clocks;
  #sinceMs: number | null = null;
  /** Counts what was accepted: a save holds what was accepted before it began. */
  #changes = 0;
  #hasFailed = false;
  #savedAtMs: number | null = null;
  #isUsed = false;
  /** Of the run of the place: one that began anew does not hear how the saves of the one before it ended. */
  #turn = 0;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
  }

  /** It is read anew, and everything before it is saved: what was not will come again. */
  begins(): void {
    this.#turn += 1;
    this.#sinceMs = null;
    this.#hasFailed = false;
  }

  /** Something was accepted. */
  changed(): void {
    this.#changes += 1;
    this.#sinceMs ??= this.#clocks.monotonic();
  }

  /** It is being saved; the function that comes back is told how that ended. Several may be under way, which end in their order. */
  saving(): (isSaved: boolean) => void {
    const beganMs = this.#clocks.monotonic();
    const [before, turn] = [this.#changes, this.#turn];
    this.#isUsed = true;
    return (isSaved) => {
      if (turn !== this.#turn) return;
      this.#hasFailed = !isSaved;
      if (!isSaved) return;
      this.#savedAtMs = this.#clocks.now();
      this.#sinceMs = this.#changes === before ? null : beganMs;
    };
  }

  /** Null where nobody keeps the place. */
  facts(): SavedFacts | null {
    if (!this.#isUsed) return null;
    return {
      ageMs: this.#sinceMs === null ? 0 : this.#clocks.monotonic() - this.#sinceMs,
      hasFailed: this.#hasFailed,
      savedAtMs: this.#savedAtMs,
    };
  }
}
