/** Whether a run that follows the feed is well, and in a sentence why not. Pure. */
import type { SavedFacts, Facts } from './standing.js';

export type Health = 'ok' | 'starting' | 'not_accepted' | 'unreachable' | 'checkpoint' | 'behind';

export interface HealthVerdict {
  readonly health: Health;
  /** A sentence without anything that came from the service but the id of an event. */
  readonly why: string;
}

/** Well is who accepted everything that is known, up to less than `maxLagMs` ago. What else is wrong says what that comes from. */
export function judge(facts: Facts, maxLagMs: number): HealthVerdict {
  const { hasBegun, lagMs, front, unansweredMs, checkpoint } = facts;
  const isMostly = (ms: number): boolean => ms * 2 >= lagMs;
  if (isUnsaved(checkpoint, maxLagMs))
    return { health: 'checkpoint', why: 'svc could not save its place in the events.' };
  if (hasBegun && lagMs < maxLagMs) return { health: 'ok', why: 'Every known event was accepted in time.' };
  if (unansweredMs >= maxLagMs || (hasBegun && unansweredMs > 0 && isMostly(unansweredMs))) {
    return {
      health: 'unreachable',
      why: `The service has not answered for ${words(unansweredMs)}, so the newest event is unknown.`,
    };
  }
  if (!hasBegun) return { health: 'starting', why: 'svc has not read any events yet.' };
  if (front !== null && isMostly(front.waitedMs)) {
    return {
      health: 'not_accepted',
      why: `Event ${front.id} has not been accepted for ${words(front.waitedMs)}, and all others wait behind it.`,
    };
  }
  return { health: 'behind', why: `svc is ${words(lagMs)} behind the newest event.` };
}

/** What was accepted is not kept: it failed, or it takes too long. */
export function isUnsaved(checkpoint: SavedFacts | null, maxLagMs: number): boolean {
  return checkpoint !== null && (checkpoint.hasFailed || checkpoint.ageMs >= maxLagMs);
}

/** A duration as people read it: whole units, the largest that fits twice. */
export function words(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 120) return `${String(seconds)} s`;
  if (seconds < 2 * 3600) return `${String(Math.floor(seconds / 60))} min`;
  if (seconds < 2 * 86_400) return `${String(Math.floor(seconds / 3600))} h`;
  return `${String(Math.floor(seconds / 86_400))} d`;
}
