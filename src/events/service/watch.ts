import type { Sink } from '../../feed/follow.js';
import type { Page, Visit } from '../../feed/walk.js';
import type { SavedPosition, FollowerState } from './follower-state.js';
import type { ChangeKind } from './notify.js';
import type { Position } from '../../storage/checkpoints/checkpoint.js';

type Fetch = (cursor: string | null, signal: AbortSignal) => Promise<Page>;
type Save = (position: Position) => Promise<void> | void;

export function watchFollower(
  state: FollowerState,
  savedPosition: SavedPosition,
  onChange: (what: ChangeKind) => void,
) {
  return {
    onBegin: (): void => state.begin(),
    source:
      (fetch: Fetch): Fetch =>
      async (cursor, signal) => {
        state.onRequest();
        const page = await fetch(cursor, signal);
        state.onPage(page);
        onChange('progress');
        return page;
      },
    visits: async function* (visits: AsyncIterable<Visit>): AsyncGenerator<Visit, void, void> {
      for await (const visit of visits) {
        state.onPageTaken();
        yield visit;
        state.onPassed(visit);
        onChange('change');
      }
    },
    sink:
      (sink: Sink): Sink =>
      (page, events, accept) => {
        state.onWaiting(page, events);
        return sink(page, events, async (acceptedEvents) => {
          state.onAccepted(acceptedEvents);
          onChange('progress');
          await accept(acceptedEvents);
        });
      },
    save:
      (save: Save, durable?: () => Promise<void>): Save =>
      async (position) => {
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
    onAttempt: (attempt: number, isAccepted: boolean): void => {
      state.onAttempt(attempt, isAccepted);
      if (!isAccepted) onChange('change');
    },
    onWait: (): void => onChange('change'),
  };
}
