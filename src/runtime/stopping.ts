/** Lets a wait end when the process is asked to stop. */
import type { Clock } from './clock.js';
import { Failure } from './failure.js';
import { Stopped } from './ports.js';

/**
 * What ended a command that runs until it is stopped: a signal is how it ends, and nothing that was to be sent is left.
 * @param text what is true now, in a sentence
 * @returns the same error where it is no signal, or one that knows more already
 */
export function asEnd(error: unknown, text: string): unknown {
  if (!(error instanceof Stopped) || error.failure !== null) return error;
  const end = new Failure('unsafe', text, { outcome: 'sent', cause: error });
  return new Stopped(error.signalName, error.exitCode, end);
}

/**
 * What the work comes to, or a rejection with the signal's reason where that is aborted first; the work itself goes on.
 * @param grace work that ends this soon after the signal still counts
 */
export function untilStopped<T>(
  work: Promise<T>,
  signal: AbortSignal,
  grace?: { readonly clock: Clock; readonly ms: number },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = new AbortController();
    const refuse = (): void => {
      reject(signal.reason as Error);
    };
    const stop = (): void => {
      if (grace === undefined) refuse();
      else grace.clock.sleep(grace.ms, ended.signal).then(refuse, () => undefined);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop);
      ended.abort();
    });
  });
}
