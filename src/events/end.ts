/** Finds the end of the feed: the position behind everything that has happened so far. */
import { START, type Position } from './position.js';
import type { Visit } from './walk.js';

/** @param visits from the start of the feed to its end; nothing of it is handed over */
export async function findEnd(visits: AsyncIterable<Visit>): Promise<Position> {
  let end = START;
  for await (const { page, next } of visits) {
    // Where the cursor stays, the page comes again: what is in it has happened already.
    const ids = next === end.cursor ? page.events.map(({ id }) => id) : [];
    end = { cursor: next, ids };
  }
  return end;
}
