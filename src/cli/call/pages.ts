/** `--all` of a list in pages: every page, in order, each written before the next is asked for. */
import type { RequestInput } from '../../client/request.js';
import { endpoint, type EndpointId } from '../../contract/endpoints.js';
import { renderElements } from '../../output/ndjson.js';
import type { Printer } from '../printing/printer.js';
import type { SessionRun } from '../session/session.js';
import type { Where } from './next.js';
import { pagesOf } from './page-walk.js';

/**
 * Prints from the input's cursor to the end of the list.
 * NDJSON is written page by page; every other form needs the whole list and is written at the end.
 * @throws Failure as a single page would
 */
export async function printEveryPage(
  id: EndpointId,
  input: RequestInput,
  run: SessionRun<Where>,
  printer: Printer,
): Promise<void> {
  const collected: Uint8Array[] = [];
  let cursor = input.query?.['cursor'] ?? null;
  for await (const { body, elements, next } of pagesOf(id, input, run)) {
    if (printer.mode === 'ndjson') await printer.lines(renderElements(body, elements));
    else collected.push(...elements.map(({ start, end }) => body.subarray(start, end)));
    if (next !== null) cursor = next;
  }
  if (printer.mode !== 'ndjson')
    await printer.answer(joined(endpoint(id).list ?? 'items', collected, cursor));
}

/** One page made of all of them, with their own bytes. */
function joined(list: string, elements: readonly Uint8Array[], cursor: string | null): Uint8Array {
  const comma = Buffer.from(',');
  const parts = elements.flatMap((element, index) => (index === 0 ? [element] : [comma, element]));
  const end = Buffer.from(`],"next_cursor":${JSON.stringify(cursor)}}`);
  return Buffer.concat([Buffer.from(`{${JSON.stringify(list)}:[`), ...parts, end]);
}
