/** What ends a run before its command ends: the time, too many writes, a flood of requests, or its case, which kills it. */
import { endpoint } from '../../contract/endpoints.js';
import type { SeenRequest, StoppedFor } from '../../certify/seen.js';
import type { Clock } from '../../runtime/clock.js';

export interface Stopping {
  /** Counts a request, and stops the run where that is too many. */
  readonly arrived: (seen: Pick<SeenRequest, 'atMs' | 'route'>) => void;
  /** Kills the command that runs now; the run goes on. */
  readonly kill: () => void;
  /** Runs a command until it ends or is killed. */
  readonly guard: <T>(run: (kill: AbortSignal) => Promise<T>) => Promise<T>;
  /** Why the run was stopped; null where it was not. */
  readonly reason: () => StoppedFor | null;
}

/** So many requests in a second are a flood. */
const RATE_MAX = 500;
const SECOND_MS = 1000;

/** @param limitMs for each start of the command */
export function stoppingOf(
  clock: Clock,
  { limitMs, writesMax }: { readonly limitMs: number; readonly writesMax: number },
): Stopping {
  let killing = new AbortController();
  let reason: StoppedFor | null = null;
  let writes = 0;
  const arrivals: number[] = [];
  const stop = (why: StoppedFor): void => {
    reason ??= why;
    killing.abort();
  };
  return {
    reason: () => reason,
    kill: () => killing.abort(),
    arrived({ atMs, route }) {
      if (route !== null && endpoint(route).method === 'POST') writes += 1;
      arrivals.push(atMs);
      if (arrivals.length > RATE_MAX) {
        const before = arrivals.shift() ?? 0;
        if (atMs - before < SECOND_MS) stop('rate');
      }
      if (writes > writesMax) stop('requests');
    },
    async guard(run) {
      killing = new AbortController();
      const ended = new AbortController();
      clock.sleep(limitMs, ended.signal).then(
        () => stop('time'),
        () => undefined,
      );
      try {
        return await run(killing.signal);
      } finally {
        ended.abort();
      }
    },
  };
}
