/** A list that comes in pages, called for a command: one of them, or with `--all` every one. */
import * as Flags from '@oclif/core/flags';
import { Failure } from '../../runtime/failure.js';
import { printerFor } from '../printing/printer.js';
import { callOpen, withEndpoint, type EndpointFlags, type EndpointRun } from './endpoint-call.js';
import { printEveryPage } from './pages.js';

/** The flags of such a command. @param limit what `--limit` counts, and its bounds */
export const pageFlags = (limit: string) => ({
  cursor: Flags.string({
    summary: 'Begin behind this cursor (next_cursor of a page).',
    helpValue: 'CURSOR',
  }),
  limit: Flags.string({ summary: limit, helpValue: 'N' }),
  all: Flags.boolean({ summary: 'Every page, as NDJSON unless -o says otherwise.' }),
});

interface PageFlags {
  readonly cursor?: string | undefined;
  readonly limit?: string | undefined;
}

/** What those flags ask the service for. @throws Failure `usage` for a limit that is no number, or below 1; how high it may be is asked */
export function pageQuery({ cursor, limit }: PageFlags) {
  if (limit !== undefined && !/^0*[1-9][0-9]{0,8}$/.test(limit)) {
    throw new Failure('usage', '--limit is a whole number from 1. Nothing was sent.');
  }
  return { cursor, limit };
}

/** Prints one page of the row of a command, or with `--all` every one. @throws as `callEndpoint` */
export function callPages(
  run: EndpointRun<EndpointFlags & PageFlags & { readonly all: boolean }>,
): Promise<void> {
  const fill = () => ({ query: pageQuery(run.flags) });
  return withEndpoint(run, async (open) => {
    if (!open.flags.all) return callOpen(open, fill);
    await printEveryPage(open.row, fill(), open, await printerFor(open.ports, open.flags, open.row, 'pages'));
  });
}
