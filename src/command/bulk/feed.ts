/** The whole feed of events as operations, for a batch that looks for rows that were never answered. */
import type { OperationClaims } from '../../bulk/run/delivery.js';
import { readPage } from '../../events/page.js';
import { conclude } from '../../client/conclusion.js';
import { Failure } from '../../runtime/failure.js';
import type { House } from '../base.js';
import { claimsOf } from './delivery.js';
import { failureOf } from '../call/conclusion-failure.js';
import type { Where } from '../call/next.js';
import type { Session } from '../session/session.js';

const LIMIT = '200';

/** @throws Failure by the table of exit codes where a page can't be read */
export async function* feedOf(
  session: Session,
  house: House,
  where: Where,
): AsyncGenerator<OperationClaims[], void, void> {
  let cursor: string | null = null;
  for (;;) {
    const query: Record<string, string> = cursor === null ? { limit: LIMIT } : { limit: LIMIT, cursor };
    const conversation = await session.client.call('events.list', { query }, { signal: house.ports.signal });
    const conclusion = conclude(conversation);
    if (conclusion.answer === null || conclusion.exitCode !== 0)
      throw failureOf(conclusion, conversation, house, where);
    const page = readPage(conclusion.answer.body);
    if ('problem' in page)
      throw new Failure('defect', `The service broke its contract: ${page.problem}.`, { outcome: 'sent' });
    const text = Buffer.from(page.body);
    yield page.events.flatMap(({ start, end }) => {
      const event = JSON.parse(text.toString('utf8', start, end)) as { data?: unknown };
      const claims = claimsOf(event.data);
      return claims === null ? [] : [claims];
    });
    if (page.events.length === 0 || page.next === null || page.next === cursor) return;
    cursor = page.next;
  }
}
