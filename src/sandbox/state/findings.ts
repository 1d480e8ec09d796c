/** The mistakes found in a state document. */
import type { JsonPath } from './places.js';

export interface Finding {
  readonly path: JsonPath;
  readonly text: string;
}

/** As many mistakes as a person reads. */
export const FINDINGS_MAX = 10;

export class Findings {
  readonly all: Finding[] = [];
  /** The path of the value that is being checked. */
  readonly path: (string | number)[] = [];

  /** @param at the path below the current value */
  add(text: string, ...at: JsonPath): void {
    if (!this.isFull) this.all.push({ path: [...this.path, ...at], text });
  }

  /** Runs `work` with the current value moved down. @param path from the current value */
  within<T>(path: JsonPath, work: () => T): T {
    this.path.push(...path);
    const result = work();
    this.path.length -= path.length;
    return result;
  }

  get isFull(): boolean {
    return this.all.length >= FINDINGS_MAX;
  }
}
