/** A create where another database server has taken over: the book may have forgotten that it was sent before, and the events have not. */
import type { Creating } from './creating.js';
import { readWholeFeed } from './feed-reading.js';

const TAKEN_OVER = 'Another database server took over and may have lost creates';

/**
 * What was forgotten is found in the events from now on, and stands in the way as what is known does.
 * @throws Failure `unsafe` (`feed_unreadable`); what keeps a key from reading the events
 */
export async function askOfTakeover({ journal, reference, standing, run }: Creating): Promise<void> {
  if ((await journal.takenOverAtMs()) === null) return;
  if (reference !== null) return readWholeFeed(standing, `${TAKEN_OVER}. `);
  await run.session.note(
    `${TAKEN_OVER}. Without a reference svc cannot tell whether this one was sent before.`,
  );
}
