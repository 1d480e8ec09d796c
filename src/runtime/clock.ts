/** The port to time: the only place that reads the machine's clock or starts a timer. */

export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a clock that never goes back, for measuring. */
  monotonic(): number;
  /** Resolves after that many milliseconds; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest wait of one timer: a longer one would fire at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout;
      const abort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const wait = (leftMs: number): void => {
        timer = setTimeout(
          () => {
            if (leftMs > TIMER_MAX_MS) {
              wait(leftMs - TIMER_MAX_MS);
              return;
            }
            signal?.removeEventListener('abort', abort);
            resolve();
          },
          Math.min(leftMs, TIMER_MAX_MS),
        );
      };
      wait(ms);
      if (signal?.aborted === true) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    }),
};

/** ISO 8601 UTC to the second, as the service writes times. */
export function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19) + 'Z';
}

/** The form of HTTP headers: `Tue, 03 Nov 2026 14:30:00 GMT`. */
export function httpDate(ms: number): string {
  return new Date(ms).toUTCString();
}
