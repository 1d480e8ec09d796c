import type { Sink } from '../../feed/follow.js';
import type { Page, Visit } from '../../feed/walk.js';
import type { SavedPosition, FollowerState } from './follower-state.js';
import type { Position } from '../../storage/checkpoints/checkpoint.js';

type Fetch = (cursor: string | null, signal: AbortSignal) => Promise<Page>;
type Save = (position: Position) => Promise<void> | void;

export interface FollowerWrappers {
  readonly onBegin: () => void;
  readonly source: (fetch: Fetch) => Fetch;
  readonly visits: (visits: AsyncIterable<Visit>) => AsyncIterable<Visit>;
  readonly sink: (sink: Sink) => Sink;
  readonly save: (save: Save, durable?: () => Promise<void>) => Save;
  readonly onAttempt: (attempt: number, isAccepted: boolean) => void;
  readonly onWait: () => void;
}

export function watchFollower(
  state: FollowerState,
  savedPosition: SavedPosition,
  onChange: (what: 'progress' | 'change') => void,
): FollowerWrappers {
  return {
    onBegin: () => state.begin(),
    source: (fetch) => async (cursor, signal) => {
      state.onRequest();
      const page = await fetch(cursor, signal);
      state.onPage(page);
      onChange('progress');
      return page;
    },
    visits: async function* (visits) {
      for await (const visit of visits) {
        state.onPageTaken();
        yield visit;
        state.onPassed(visit);
        onChange('change');
      }
    },
    sink: (sink) => (page, events, accept) => {
      state.onWaiting(page, events);
      return sink(page, events, async (acceptedEvents) => {
        state.onAccepted(acceptedEvents);
        onChange('progress');
        await accept(acceptedEvents);
      });
    },
    save: (save, durable) => async (position) => {
      const endSave = savedPosition.beginSave();
      const noteFailure = (): void => {
        endSave(false);
        onChange('change');
      };
      try {
        await save(position);
      } catch (error) {
        noteFailure();
        throw error;
      }
      if (durable === undefined) endSave(true);
      else durable().then(() => endSave(true), noteFailure);
    },
    onAttempt: (attempt, isAccepted) => {
      state.onAttempt(attempt, isAccepted);
      if (!isAccepted) onChange('change');
    },
    onWait: () => onChange('change'),
  };
}
