/** Asks the service what time it is, where nothing has said that yet: ages count in its time. */
import type { SessionRun } from './session.js';

/** An answer that carries no `Date`, or none at all, is no reason to stop: what was last known counts then. */
const TIMEOUT_MS = 5000;

export async function hear({ session, ports }: Pick<SessionRun, 'session' | 'ports'>): Promise<void> {
  const { signal } = ports;
  if (session.clock.isHeard()) return;
  await session.client.call('capabilities', {}, { attemptsMax: 1, timeoutMs: TIMEOUT_MS, signal });
  signal.throwIfAborted();
}
