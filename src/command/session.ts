/** Opens the session of a command, and closes it after the command's steps. */
import { openSession, type Session } from '../session/session.js';
import type { GlobalFlags, Run } from './command.js';

export interface SessionRun<F = GlobalFlags> extends Run<F> {
  readonly session: Session;
}

/**
 * @param connections the most connections to the service at a time; default 16
 * @throws as `openSession`; what the steps throw
 */
export async function withSession<R extends Run, T>(
  run: R,
  steps: (run: R & SessionRun<R['flags']>) => Promise<T>,
  connections?: number,
): Promise<T> {
  const session = await openSession(run.ports, run.flags, run.openEmbedded, connections);
  try {
    return await steps({ ...run, session });
  } finally {
    await session.close();
  }
}
