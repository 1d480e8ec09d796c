/** The process group of a program that was started: passed signals on, and ended with what started it, however that ends. */
import type { ChildProcess } from 'node:child_process';
import { systemClock } from './clock.js';
import { errorCode } from './disk.js';
import { Stopped } from './ports.js';
import { leaveToSurvivor } from './survivor.js';

const GONE: ReadonlySet<string> = new Set(['ESRCH', 'EPERM']);
/** How long what a program left behind may take to end once it was asked to. */
const GRACE_MS = 2000;
const LOOK_MS = 10;

/** Passes the signal on, and ends the group with this process. @returns lets go of it */
export function holdGroup(child: ChildProcess, signal: AbortSignal): () => void {
  const stop = (): void => {
    signalGroup(child.pid, signal.reason instanceof Stopped ? signal.reason.signalName : 'SIGTERM');
  };
  const kill = (): void => {
    signalGroup(child.pid, 'SIGKILL');
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  process.once('exit', kill);
  // Before the one that ends this process where its launcher was killed (bin/lifeline.js).
  process.prependOnceListener('disconnect', kill);
  return () => {
    signal.removeEventListener('abort', stop);
    process.removeListener('exit', kill);
    process.removeListener('disconnect', kill);
  };
}

/** Kills it where this process is gone, killed itself for example. @returns says that there is nothing to do any more */
export function guardGroup(leader: number | undefined): () => void {
  if (leader === undefined) return () => undefined;
  return leaveToSurvivor('kill -KILL "-$1"', String(leader));
}

/** Asks first, and kills what does not go. What has ended and was not fetched by its parent yet still counts as there. */
export async function endGroup(leader: number | undefined): Promise<void> {
  if (!signalGroup(leader, 'SIGTERM')) return;
  for (let waitedMs = 0; waitedMs < GRACE_MS; waitedMs += LOOK_MS) {
    await systemClock.sleep(LOOK_MS);
    if (!signalGroup(leader, 0)) return;
  }
  signalGroup(leader, 'SIGKILL');
}

/**
 * Without an id it was never started; a group that is none, or holds nothing of ours any more, has ended.
 * @returns whether there was anybody to get it
 */
function signalGroup(leader: number | undefined, name: NodeJS.Signals | 0): boolean {
  if (leader === undefined) return false;
  try {
    return process.kill(-leader, name);
  } catch (error) {
    if (!GONE.has(errorCode(error) ?? '')) throw error;
    return false;
  }
}
