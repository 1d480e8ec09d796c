/** Walks over a list that comes in pages, in its order, from the place that the input names to the end. */
import { conclude } from '../../client/conclusion.js';
import type { RequestInput } from '../../client/request.js';
import { endpoint, type EndpointId } from '../../contract/endpoints.js';
import { memberAt, type Range } from '../../contract/json-bytes.js';
import { readCursor, walkPages } from '../../contract/paging.js';
import { requireList } from '../../output/list.js';
import { contractBroken } from '../../runtime/failure.js';
import type { SessionRun } from '../session/session.js';
import { failureOf } from './conclusion-failure.js';
import { usageOf } from './endpoint-call.js';
import type { Where } from './next.js';

export interface ListPage {
  readonly body: Uint8Array;
  readonly elements: readonly Range[];
  /** `next_cursor`; null at the end. */
  readonly next: string | null;
}

/**
 * The pages of a row whose query has a `cursor`. An empty page, a page without a cursor, and one that names its own are the end.
 * @throws Failure as a single page would; `defect` for cursors in a circle, after the page that closes it; the signal's reason
 */
export async function* pagesOf(
  id: EndpointId,
  input: RequestInput,
  run: SessionRun<Where>,
): AsyncGenerator<ListPage, void, void> {
  const { signal } = run.ports;
  const visits = walkPages({
    fetch: async (cursor) => {
      const query = { ...input.query, cursor: cursor ?? undefined };
      const conversation = await run.session.client.call(id, { ...input, query }, { signal }).catch(usageOf);
      signal.throwIfAborted();
      const conclusion = conclude(conversation);
      if (conclusion.exitCode !== 0 || conclusion.answer === null) {
        throw failureOf(conclusion, conversation, run);
      }
      return listPage(conclusion.answer.body, endpoint(id).list);
    },
    from: input.query?.['cursor'] ?? null,
    isEmpty: ({ elements }) => elements.length === 0,
    asksAhead: false,
    waitAtEnd: null,
    circle: () => contractBroken('its cursors run in a circle'),
    signal,
  });
  for await (const { page } of visits) yield page;
}

function listPage(body: Uint8Array, list: string | null): ListPage {
  const elements = requireList(body, list);
  const next = readCursor(body, memberAt(body, 'next_cursor'));
  // A list that ends where it does not would pass for the whole of it.
  if (next === undefined) throw contractBroken('next_cursor is no text');
  return { body, elements, next: elements.length === 0 ? null : next };
}
