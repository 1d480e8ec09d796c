/** The feed, read for a single create: only where nothing else can say what became of it. */
import { Failure } from '../../runtime/failure.js';
import type { StandingList } from './standing.js';

/** What keeps the events from being read keeps the create from being sent; a key that may not read them is what it is. */
export async function readWholeFeed(standing: StandingList, why = ''): Promise<void> {
  await standing.readFeed().catch((error: unknown) => {
    const isOther =
      !(error instanceof Failure) || ['no_access', 'local_state', 'locked'].includes(error.kind);
    if (isOther) throw error;
    throw new Failure(
      'unsafe',
      `${error.head} ${why}Only the events show whether it was paid, and svc cannot read them. Nothing was sent. Run this again later.`,
      { ...error.facts, code: 'feed_unreadable', outcome: 'not_sent', retryable: true, cause: error },
    );
  });
}
