/** Walks over a list that comes in pages, in its order, from the place that the input names to the end. */
import { conclude } from '../../client/conclusion.js';
import type { Input } from '../../client/request.js';
import { endpoint, type EndpointId } from '../../contract/endpoints.js';
import { memberAt, type Range } from '../../contract/json-bytes.js';
import { requireList } from '../../output/list.js';
import { Failure } from '../../runtime/failure.js';
import type { SessionRun } from '../session/session.js';
import { failureOf } from './conclusion-failure.js';
import { usageOf } from './endpoint-call.js';
import type { Where } from './next.js';

export interface ListPage {
  readonly body: Uint8Array;
  readonly elements: readonly Range[];
  /** `next_cursor`; null where the service names none. */
  readonly next: string | null;
}

/**
 * The pages of a row whose query has a `cursor`. An empty page, a page without a cursor, and one that names its own are the end.
 * @throws Failure as a single page would; `defect` for cursors in a circle, after the page that closes it; the signal's reason
 */
export async function* pagesOf(
  id: EndpointId,
  input: Input,
  run: SessionRun<Where>,
): AsyncGenerator<ListPage, void, void> {
  const { session, ports } = run;
  const { signal } = ports;
  const { list } = endpoint(id);
  let cursor = input.query?.['cursor'];
  const seen = new Set([cursor]);
  for (;;) {
    const query = { ...input.query, cursor };
    const conversation = await session.client.call(id, { ...input, query }, { signal }).catch(usageOf);
    signal.throwIfAborted();
    const conclusion = conclude(conversation);
    if (conclusion.exitCode !== 0 || conclusion.answer === null) {
      throw failureOf(conclusion, conversation, run);
    }
    const { body } = conclusion.answer;
    const elements = requireList(body, list);
    const next = cursorOf(body);
    yield { body, elements, next };
    if (elements.length === 0 || next === null || next === cursor) return;
    if (seen.has(next)) throw broken('its cursors run in a circle');
    seen.add(next);
    cursor = next;
  }
}

function cursorOf(body: Uint8Array): string | null {
  const range = memberAt(body, 'next_cursor');
  if (range === null) return null;
  const value: unknown = JSON.parse(Buffer.from(body.subarray(range.start, range.end)).toString('utf8'));
  if (value === null || value === '') return null;
  // A list that ends where it does not would pass for the whole of it.
  if (typeof value !== 'string') throw broken('next_cursor is no text');
  return value;
}

function broken(how: string): Failure {
  return new Failure('defect', `The service broke its contract: ${how}.`, {
    code: 'contract_broken',
    outcome: 'sent',
  });
}
