/** The service's time as a command knows it that decides by ages: the newest that was seen here counts, and what is heard is kept. */
import type { Journal, TimePlace } from '../../journal/journal.js';
import { hear, type SessionRun } from './session.js';

/**
 * Asks for it, unless this process has heard it. Nothing older than what was seen before is believed.
 * @throws DatabaseUnusable; the signal's reason
 */
export async function hearSince(
  journal: Pick<Journal, 'newestTime' | 'noteTime'>,
  { environment, origin }: TimePlace,
  run: Pick<SessionRun, 'session' | 'ports'>,
): Promise<void> {
  const { clock } = run.session;
  if (clock.isHeard()) return;
  const place = { environment, origin };
  clock.remember(await journal.newestTime(place, clock.boot().bootId));
  await hear(run);
  if (clock.isHeard() && clock.anchor !== null) await journal.noteTime(place, clock.anchor);
}
