/** Time passes only while all code waits. Several waits end in the order of their times, and take no real time. */
export function virtualTime(startIso: string) {
  let nowMs = Date.parse(startIso);
  const timers: { readonly atMs: number; readonly work: () => void }[] = [];
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
