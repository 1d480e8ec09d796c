import type { Clock } from '../runtime/clock.js';
import type { Position } from '../storage/checkpoints/checkpoint.js';

const EVENTS_MAX = 100;
const AGE_MAX_MS = 1000;

export class Progress {
  #cursor: string | null;
  #eventBeforeCursor: Position['last'];
  #ids: Set<string>;
  #uncommitted = 0;
  #isUnsaved = false;
  #timer: AbortController | null = null;
  #error: Error | null = null;
  #committing: Promise<void> | null = null;

  constructor(
    private readonly options: {
      readonly from: Position;
      readonly commit: ((position: Position) => Promise<void> | void) | null;
      readonly clock: Clock;
      readonly eventsMax?: number;
      readonly isFull?: () => boolean;
    },
  ) {
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

  moveTo(cursor: string | null, last: Position['last']): void {
    if (cursor === this.#cursor) return;
    [this.#cursor, this.#eventBeforeCursor] = [cursor, last];
    this.#ids.clear();
    this.#markUnsaved();
  }

  async commitIfDue(): Promise<void> {
    if (this.#error !== null) throw this.#error;
    const { eventsMax = EVENTS_MAX, isFull } = this.options;
    if (this.#uncommitted >= eventsMax || isFull?.() === true) await this.flush();
  }

  async flush(): Promise<void> {
    this.#timer?.abort();
    this.#timer = null;
    while (this.#committing !== null) await this.#committing.catch(() => undefined);
    if (!this.#isUnsaved) return;
    this.#committing = this.#commit().finally(() => (this.#committing = null));
    await this.#committing;
  }

  async #commit(): Promise<void> {
    const count = this.#uncommitted;
    this.#isUnsaved = false;
    this.#uncommitted = 0;
    try {
      await this.options.commit?.(this.position);
    } catch (error) {
      this.#isUnsaved = true;
      this.#uncommitted += count;
      throw error;
    }
  }

  #markUnsaved(): void {
    this.#isUnsaved = true;
    if (this.#timer !== null || this.options.commit === null) return;
    const timer = new AbortController();
    this.#timer = timer;
    this.options.clock.sleep(AGE_MAX_MS, timer.signal).then(
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
