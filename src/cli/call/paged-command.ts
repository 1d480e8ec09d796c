/** A command for a list that comes in pages: one of them, or with `--all` every one. */
import * as Flags from '@oclif/core/flags';
import { Failure } from '../../runtime/failure.js';
import { printerFor } from '../printing/printer.js';
import type { Session } from '../session/session.js';
import { EndpointCommand, type EndpointFlags, type EndpointLine } from './endpoint-command.js';
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

export abstract class PagedCommand extends EndpointCommand {
  protected override async act(line: PagedLine, session: Session): Promise<void> {
    if (!line.flags.all) return super.act(line, session);
    const input = await this.input(line, session);
    const printer = await printerFor(this.ports, line.flags, this.row, 'pages');
    const reading = { client: session.client, house: this.house, where: line.flags };
    await printEveryPage(this.row, input, reading, printer);
  }
}

interface PagedLine extends EndpointLine {
  readonly flags: EndpointFlags & { readonly all: boolean };
}
