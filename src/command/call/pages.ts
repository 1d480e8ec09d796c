/** `events list --all`: every page, in order, each written before the next is asked for again. */
import type { Client } from '../../client/client.js';
import { conclude } from '../../client/conclusion.js';
import type { Input } from '../../client/request.js';
import { memberAt } from '../../contract/json-bytes.js';
import { requireList } from '../../output/list.js';
import { renderElements } from '../../output/ndjson.js';
import { Failure } from '../../runtime/failure.js';
import type { House } from '../base.js';
import { failureOf } from './conclusion-failure.js';
import type { EndpointFlags } from './endpoint-command.js';
import type { Printer } from '../printer.js';

const WRAPPER = 'events';

/**
 * Reads from the input's cursor to the end of the feed: an empty page, a page without a cursor, or one that repeats.
 * NDJSON is written page by page; every other form needs the whole list and is written at the end.
 * @throws Failure as a single page would
 */
export async function printEveryPage(
  client: Client,
  input: Input,
  printer: Printer,
  house: House,
  flags: EndpointFlags,
): Promise<void> {
  const collected: Uint8Array[] = [];
  const seen = new Set<string>();
  let cursor = input.query?.['cursor'];
  for (;;) {
    const query = { ...input.query, cursor };
    const conversation = await client.call(
      'events.list',
      { ...input, query },
      { signal: house.ports.signal },
    );
    house.ports.signal.throwIfAborted();
    const conclusion = conclude(conversation);
    if (conclusion.exitCode !== 0 || conclusion.answer === null) {
      throw failureOf(conclusion, conversation, house, flags);
    }
    const { body } = conclusion.answer;
    const elements = requireList(body, WRAPPER);
    const lines = renderElements(body, elements);
    if (printer.mode === 'ndjson') await printer.lines(lines);
    else collected.push(...elements.map(({ start, end }) => body.subarray(start, end)));
    const next = cursorOf(body);
    if (elements.length === 0 || next === null || next === cursor) break;
    if (seen.has(next)) throw loop();
    seen.add(next);
    cursor = next;
  }
  if (printer.mode !== 'ndjson') await printer.answer(joined(collected, cursor ?? null));
}

function cursorOf(body: Uint8Array): string | null {
  const range = memberAt(body, 'next_cursor');
  if (range === null) return null;
  const value: unknown = JSON.parse(Buffer.from(body.subarray(range.start, range.end)).toString('utf8'));
  return typeof value === 'string' && value !== '' ? value : null;
}

/** One page made of all of them, with their own bytes. */
function joined(elements: readonly Uint8Array[], cursor: string | null): Uint8Array {
  const comma = Buffer.from(',');
  const parts = elements.flatMap((element, index) => (index === 0 ? [element] : [comma, element]));
  const end = Buffer.from(`],"next_cursor":${JSON.stringify(cursor)}}`);
  return Buffer.concat([Buffer.from(`{"${WRAPPER}":[`), ...parts, end]);
}

function loop(): Failure {
  return new Failure('defect', 'The service broke its contract: its cursors run in a circle.', {
    code: 'contract_broken',
    outcome: 'sent',
  });
}
