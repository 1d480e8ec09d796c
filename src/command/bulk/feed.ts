/** The whole feed of events as operations, for a batch that looks for rows that were never answered. */
import type { OperationClaims } from '../../bulk/run/delivery.js';
import { LIMITS } from '../../contract/limits.js';
import type { House } from '../base.js';
import { claimsOf } from './delivery.js';
import type { Where } from '../call/next.js';
import { pagesOf } from '../call/page-walk.js';
import type { Session } from '../session/session.js';

/** @throws Failure by the table of exit codes where a page can't be read; Stopped */
export async function* feedOf(
  session: Session,
  house: House,
  where: Where,
): AsyncGenerator<OperationClaims[], void, void> {
  const query = { limit: String(LIMITS.eventsPageMax) };
  const reading = { client: session.client, house, where };
  for await (const { body, elements } of pagesOf('events.list', { query }, reading)) {
    const text = Buffer.from(body);
    yield elements.flatMap(({ start, end }) => {
      const event = JSON.parse(text.toString('utf8', start, end)) as { data?: unknown } | null;
      const claims = claimsOf(event?.data);
      return claims === null ? [] : [claims];
    });
  }
}
