interface Due {
  readonly atMs: number;
  readonly order: number;
  readonly happen: () => void;
}

export class Time {
  nowMs = Date.parse('2026-09-01T08:00:00Z');
  #due: Due[] = [];
  #order = 0;

  at(atMs: number, happen: () => void): void {
    this.#due.push({ atMs: Math.max(atMs, this.nowMs), order: (this.#order += 1), happen });
  }

  in(ms: number, happen: () => void): void {
    this.at(this.nowMs + ms, happen);
  }

  async until(isSo: () => boolean, most = 50_000): Promise<boolean> {
    for (let count = 0; ; count += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isSo()) return true;
      const next = this.#next();
      if (next === undefined || count > most) return false;
      this.nowMs = next.atMs;
      next.happen();
    }
  }

  #next(): Due | undefined {
    const first = this.#due.reduce<Due | undefined>(
      (best, one) => (best === undefined || isBefore(one, best) ? one : best),
      undefined,
    );
    this.#due = this.#due.filter((one) => one !== first);
    return first;
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.atMs === b.atMs ? a.order < b.order : a.atMs < b.atMs;
}
