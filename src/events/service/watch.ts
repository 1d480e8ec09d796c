/** Watches a run that follows the feed, without a part in it: wraps what the run is made of, and writes down what passes. */
import type { Sink } from '../follow.js';
import type { Page, Position, Visit } from '../walk.js';
import type { SavedPlace } from './saved-place.js';
import type { Standing } from './standing.js';

type Fetch = (cursor: string | null, signal: AbortSignal) => Promise<Page>;
type Save = (position: Position) => Promise<void> | void;

/** What a follower is made of, and its watched double. */
export interface Watching {
  readonly source: (fetch: Fetch) => Fetch;
  readonly visits: (visits: AsyncIterable<Visit>) => AsyncIterable<Visit>;
  readonly sink: (sink: Sink) => Sink;
  readonly save: (save: Save) => Save;
  /** An attempt to hand an event over has ended; the first of an event is number 1. */
  readonly onAttempt: (attempt: number, isAccepted: boolean) => void;
  /** The service did not answer, and is asked again. */
  readonly onWait: () => void;
}

/** @param told of everything that happens: progress is what was answered or accepted */
export function watching(
  standing: Standing,
  place: SavedPlace | null,
  told: (what: 'progress' | 'change') => void,
): Watching {
  return {
    source: (fetch) => async (cursor, signal) => {
      standing.asked();
      const page = await fetch(cursor, signal);
      standing.answered(page);
      told('progress');
      return page;
    },
    visits: async function* (visits) {
      for await (const visit of visits) {
        standing.took();
        yield visit;
        standing.passed(visit);
        told('change');
      }
    },
    sink: (sink) => (page, events, accept) => {
      standing.holds(page, events);
      return sink(page, events, async (some) => {
        standing.accepted(some);
        told('progress');
        await accept(some);
      });
    },
    save: (save) => async (position) => {
      const ended = place?.saving();
      try {
        await save(position);
        ended?.(true);
      } catch (error) {
        ended?.(false);
        told('change');
        throw error;
      }
    },
    onAttempt: (attempt, isAccepted) => {
      standing.attempted(attempt, isAccepted);
      if (!isAccepted) told('change');
    },
    onWait: () => told('change'),
  };
}
