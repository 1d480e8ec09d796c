/** Watches a follower without changing it: wraps its source, sink and save, and records what passes. */
import type { Sink } from '../follow.js';
import type { Page, Position, Visit } from '../walk.js';
import type { SavedPosition, FollowerState } from './follower-state.js';

type Fetch = (cursor: string | null, signal: AbortSignal) => Promise<Page>;
type Save = (position: Position) => Promise<void> | void;

/** What a follower is made of, and its watched double. */
export interface Watching {
  /** Before the feed is read, and each time it is read again. */
  readonly begins: () => void;
  readonly source: (fetch: Fetch) => Fetch;
  readonly visits: (visits: AsyncIterable<Visit>) => AsyncIterable<Visit>;
  readonly sink: (sink: Sink) => Sink;
  /** @param durable resolves when all that was saved is durable, where that takes longer than to save it */
  readonly save: (save: Save, durable?: () => Promise<void>) => Save;
  /** An attempt to hand an event over has ended; the first of an event is number 1. */
  readonly onAttempt: (attempt: number, isAccepted: boolean) => void;
  /** The service did not answer, and is asked again. */
  readonly onWait: () => void;
}

/** @param onChange called with everything that happens: progress is an answer or an accepted event */
export function watching(
  standing: FollowerState,
  place: SavedPosition,
  onChange: (what: 'progress' | 'change') => void,
): Watching {
  return {
    begins: () => standing.begins(),
    source: (fetch) => async (cursor, signal) => {
      standing.asked();
      const page = await fetch(cursor, signal);
      standing.answered(page);
      onChange('progress');
      return page;
    },
    visits: async function* (visits) {
      for await (const visit of visits) {
        standing.took();
        yield visit;
        standing.passed(visit);
        onChange('change');
      }
    },
    sink: (sink) => (page, events, accept) => {
      standing.holds(page, events);
      return sink(page, events, async (some) => {
        standing.accepted(some);
        onChange('progress');
        await accept(some);
      });
    },
    save: (save, durable) => async (position) => {
      const ended = place.saving();
      const failed = (): void => {
        ended(false);
        onChange('change');
      };
      try {
        await save(position);
      } catch (error) {
        failed();
        throw error;
      }
      if (durable === undefined) ended(true);
      else durable().then(() => ended(true), failed);
    },
    onAttempt: (attempt, isAccepted) => {
      standing.attempted(attempt, isAccepted);
      if (!isAccepted) onChange('change');
    },
    onWait: () => onChange('change'),
  };
}
