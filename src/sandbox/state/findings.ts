import type { JsonPath } from './places.js';

export interface Finding {
  readonly path: JsonPath;
  readonly text: string;
}

export const FINDINGS_MAX = 10;

export class Findings {
  readonly all: Finding[] = [];
  readonly path: (string | number)[] = [];

  add(text: string, ...subpath: JsonPath): void {
    if (!this.isFull) this.all.push({ path: [...this.path, ...subpath], text });
  }

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
