import type { RequestInput } from '../client/request.js';
import { endpoint, type EndpointId } from '../contract/endpoints.js';
import { memberAt } from '../contract/json.js';
import { readCursor, walkPages, readId } from '../contract/paging.js';
import { requireList } from '../output/value.js';
import { renderElements } from '../output/ndjson.js';
import { contractBroken, usageFailure, feedFault } from '../runtime/failure.js';
import { type Printer, printerFor } from './printer.js';
import { callOpen, type EndpointFlags, type EndpointRun, openEndpoint, throwUsage } from './call.js';
import { readEndpoint } from './read.js';
import { cursorFlag, throwWithFlags } from './refused-flag.js';
import type { Texts } from './line/flags.js';
import type { Where } from '../session/place-flags.js';
import type { SessionRun } from './command.js';

export async function callPages(
  run: EndpointRun<EndpointFlags & Texts<'cursor' | 'limit'> & { readonly all: boolean }>,
): Promise<void> {
  const { cursor, limit } = run.flags;
  const fill = () => {
    if (limit !== undefined && !/^0*[1-9][0-9]{0,8}$/.test(limit))
      throw usageFailure('--limit must be a whole number of at least 1.');
    return { query: { cursor, limit } };
  };
  try {
    const sessionRun = await openEndpoint(run);
    if (run.flags.all) {
      const printer = await printerFor(run.ports, run.flags, run.endpointId, 'pages');
      await printEveryPage(run.endpointId, fill(), sessionRun, printer);
    } else await callOpen(sessionRun, fill);
  } catch (error) {
    throwWithFlags(cursorFlag(run.endpointId))(error);
  }
}

async function printEveryPage(id: EndpointId, input: RequestInput, run: SessionRun<Where>, printer: Printer) {
  const elementBytes: Uint8Array[] = [];
  let cursor = input.query?.['cursor'] ?? null;
  for await (const { body, elements, next } of pagesOf(id, input, run)) {
    if (printer.mode === 'ndjson') await printer.lines(renderElements(body, elements));
    else elementBytes.push(...elements.map(({ start, end }) => body.subarray(start, end)));
    if (next !== null) cursor = next;
  }
  if (printer.mode === 'ndjson') return;
  const comma = Buffer.from(',');
  const parts = elementBytes.flatMap((element, index) => (index === 0 ? [element] : [comma, element]));
  const head = Buffer.from(`{${JSON.stringify(endpoint(id).list ?? 'items')}:[`);
  const tail = Buffer.from(`],"next_cursor":${JSON.stringify(cursor)}}`);
  await printer.answer(Buffer.concat([head, ...parts, tail]));
}

export async function* pagesOf(
  id: EndpointId,
  input: RequestInput,
  run: SessionRun<Where>,
): AsyncGenerator<ReturnType<typeof listPage>, void, void> {
  const { signal } = run.ports;
  const pageVisits = walkPages({
    fetch: async (cursor) => {
      const query = { ...input.query, cursor: cursor ?? undefined };
      return listPage(await readEndpoint(id, { ...input, query }, run).catch(throwUsage), endpoint(id).list);
    },
    from: input.query?.['cursor'] ?? null,
    idsOf: ({ ids }) => ids,
    fetchesAhead: false,
    waitAtEnd: null,
    fault: feedFault,
    signal,
  });
  for await (const { page, repeatedIds } of pageVisits)
    yield { ...page, elements: page.elements.filter((_, index) => !repeatedIds.has(page.ids[index] ?? '')) };
}

function listPage(body: Uint8Array, list: string | null) {
  const elements = requireList(body, list);
  const next = readCursor(body, memberAt(body, 'next_cursor'));
  // A cursor that is no text is an error, because the list would otherwise look complete.
  if (next === undefined) throw contractBroken('next_cursor is not text');
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const ids = elements.map(
    ({ start, end }) => readId(bytes, start, end) ?? bytes.toString('latin1', start, end),
  );
  return { body, elements, ids, next };
}
