/** Asks a person before real money moves: only where one is there, and never a script, whose `--live` is its word. */
import type { EndpointId } from '../../contract/endpoints.js';
import { isPersonThere } from '../line/interaction.js';
import type { SessionRun } from '../session/session.js';

/** True where a person has to say yes. */
export function isConfirmed({ ports, flags, session }: SessionRun): boolean {
  return (
    session.environment === 'live' && !flags.yes && isPersonThere(ports, { 'no-input': flags['no-input'] })
  );
}

/** Returns where the request may go out. @param what as for `askLive` @throws as `askLive` */
export async function confirmLive(
  run: SessionRun,
  what: Readonly<Record<string, unknown>>,
  row: EndpointId,
): Promise<void> {
  if (!isConfirmed(run)) return;
  const { askLive } = await import('./live-question.js');
  await askLive(run, what, row);
}
