/** The mistakes found in a state document. */
import type { JsonPath } from './places.js';

export interface Finding {
  readonly path: JsonPath;
  readonly text: string;
}

/** How many mistakes are reported: nobody reads more. */
export const FINDINGS_MAX = 10;

export class Findings {
  readonly all: Finding[] = [];
  /** The path of the value that is being checked. */
  readonly path: (string | number)[] = [];

  /** @param at the path from the current value to the wrong one */
  add(text: string, ...at: JsonPath): void {
    if (!this.isFull) this.all.push({ path: [...this.path, ...at], text });
  }

  /** Runs `work` for an inner value. @param path from the current value to the inner one */
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
