/** Commits the position of accepted events every hundred events, every second, and on demand. */
import type { Clock } from '../runtime/clock.js';
import type { Position } from '../storage/checkpoints/checkpoint.js';

export interface ProgressOptions {
  readonly from: Position;
  readonly commit: ((position: Position) => Promise<void> | void) | null;
  readonly clock: Clock;
  readonly eventsMax?: number;
  readonly isFull?: () => boolean;
}

const EVENTS_MAX = 100;
const AGE_MAX_MS = 1000;

export class Progress {
  readonly #options: ProgressOptions;
  #cursor: string | null;
  #eventBeforeCursor: Position['last'];
  #ids: Set<string>;
  #uncommitted = 0;
  #isDirty = false;
  #timer: AbortController | null = null;
  #error: Error | null = null;
  /** There is one commit at a time: the next one includes what was accepted meanwhile. */
  #committing: Promise<void> | null = null;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#cursor = options.from.cursor;
    this.#eventBeforeCursor = options.from.last;
    this.#ids = new Set(options.from.ids);
  }

  get position(): Position {
    return { cursor: this.#cursor, ids: [...this.#ids], last: this.#eventBeforeCursor };
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  accept(ids: readonly string[]): void {
    for (const id of ids) this.#ids.add(id);
    this.#uncommitted += ids.length;
    if (ids.length > 0) this.#markUnsaved();
  }

  /** Moves the position to `cursor`. All events before it must be accepted. */
  moveTo(cursor: string | null, last: Position['last']): void {
    if (cursor === this.#cursor) return;
    [this.#cursor, this.#eventBeforeCursor] = [cursor, last];
    this.#ids.clear();
    this.#markUnsaved();
  }

  async commitIfDue(): Promise<void> {
    if (this.#error !== null) throw this.#error;
    const { eventsMax = EVENTS_MAX, isFull } = this.#options;
    if (this.#uncommitted >= eventsMax || isFull?.() === true) await this.flush();
  }

  /** After an error, the position stays uncommitted. */
  async flush(): Promise<void> {
    this.#timer?.abort();
    this.#timer = null;
    while (this.#committing !== null) await this.#committing.catch(() => undefined);
    if (!this.#isDirty) return;
    this.#committing = this.#commit().finally(() => (this.#committing = null));
    await this.#committing;
  }

  async #commit(): Promise<void> {
    const count = this.#uncommitted;
    this.#isDirty = false;
    this.#uncommitted = 0;
    try {
      await this.#options.commit?.(this.position);
    } catch (error) {
      this.#isDirty = true;
      this.#uncommitted += count;
      throw error;
    }
  }

  /** The timer commits the first change after at most one second. */
  #markUnsaved(): void {
    this.#isDirty = true;
    if (this.#timer !== null || this.#options.commit === null) return;
    const timer = new AbortController();
    this.#timer = timer;
    this.#options.clock.sleep(AGE_MAX_MS, timer.signal).then(
      () => this.#flushLate(),
      () => undefined,
    );
  }

  async #flushLate(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      this.#error = error instanceof Error ? error : new Error('the commit failed', { cause: error });
    }
  }
}
