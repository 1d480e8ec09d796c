/** What is wrong with a document of a kept sandbox. */
import type { JsonPath } from './places.js';

export interface Misfit {
  readonly path: JsonPath;
  readonly text: string;
}

/** No more than a person reads. */
export const FINDINGS_MAX = 10;

export class Findings {
  readonly all: Misfit[] = [];
  /** Where the value stands that is looked at. */
  readonly path: (string | number)[] = [];

  /** @param at beneath that value */
  add(text: string, ...at: JsonPath): void {
    if (!this.isFull) this.all.push({ path: [...this.path, ...at], text });
  }

  /** @param path of what the work looks at, beneath the value that is looked at now */
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
