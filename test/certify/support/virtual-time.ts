/** Time that passes only while everybody waits: waits of several at once end in their order, and none takes any time. */
export function virtualTime(startIso: string) {
  let nowMs = Date.parse(startIso);
  const timers: { readonly atMs: number; readonly work: () => void }[] = [];
  /** Does the work at that time, whoever waits for what. */
  const after = (ms: number, work: () => void): void => {
    const atMs = nowMs + ms;
    const later = timers.findIndex((timer) => timer.atMs > atMs);
    timers.splice(later === -1 ? timers.length : later, 0, { atMs, work });
  };
  return {
    after,
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: (ms: number) => new Promise<void>((resolve) => after(ms, resolve)),
    /** Lets time pass until the work is done. */
    run: async <T>(work: Promise<T>): Promise<T> => {
      const ended = new AbortController();
      const done = work.finally(() => ended.abort());
      done.catch(() => undefined);
      for (;;) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (ended.signal.aborted) return done;
        const next = timers.shift();
        if (next === undefined) throw new Error('everybody waits, and for nothing');
        nowMs = next.atMs;
        next.work();
      }
    },
  };
}
