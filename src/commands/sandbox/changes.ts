/** What has changed in a sandbox, as its server says it at `/_control/stream`; without a server, or where it does not say, time alone. */
import type { ServiceConnection } from '../../cli/session/connection.js';
import type { Ports } from '../../runtime/ports.js';

export interface Changes {
  /** Resolves once something may have changed since it resolved last, or since the beginning. @throws Stopped */
  next(): Promise<void>;
  /** To be called at the end. */
  close(): void;
}

/** How long a sandbox is let alone that does not say what has changed. */
const PAUSE_MS = 250;

export function changesAt(
  { transport, origin }: Pick<ServiceConnection, 'transport' | 'origin'>,
  { clock, signal }: Pick<Ports, 'clock' | 'signal'>,
): Changes {
  const closing = new AbortController();
  const news = { isThere: false, isOver: false, wake: (): void => undefined };
  const over = (): void => {
    news.isOver = true;
    news.wake();
  };
  const headers = { accept: 'text/event-stream' };
  transport(
    { method: 'GET', url: `${origin}/_control/stream`, headers, body: null },
    {
      timeoutMs: Infinity,
      signal: AbortSignal.any([signal, closing.signal]),
      // What it is is asked for.
      onArrival: () => {
        news.isThere = true;
        news.wake();
      },
    },
  ).then(over, over);
  return {
    next: async () => {
      if (news.isOver) {
        await clock.sleep(PAUSE_MS, signal);
        return;
      }
      if (!news.isThere) await new Promise<void>((resolve) => (news.wake = resolve));
      signal.throwIfAborted();
      news.isThere = false;
    },
    close: () => closing.abort(),
  };
}
