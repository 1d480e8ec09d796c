/** `svc events list`: one page of events, or all of them. */
import * as Flags from '@oclif/core/flags';
import { Failure } from '../../runtime/failure.js';
import type { Parsed } from '../../command/base.js';
import { EndpointCommand, type Input } from '../../command/call/endpoint-command.js';
import { printEveryPage } from '../../command/call/pages.js';
import { printerFor } from '../../command/printer.js';
import type { Session } from '../../command/session/session.js';

type Line = Parsed<typeof EventsList>;

export default class EventsList extends EndpointCommand {
  static override readonly endpoint = 'events.list';
  static override readonly summary = 'List events in order: one page, or all of them.';
  static override readonly examples = ['svc events list --limit 20', "svc events list --all --jq '.type'"];
  static override readonly args = {};
  static override readonly flags = {
    cursor: Flags.string({
      summary: 'Begin behind this cursor (next_cursor of a page).',
      helpValue: 'CURSOR',
    }),
    limit: Flags.string({ summary: 'Events a page, 1 to 200.', helpValue: 'N' }),
    all: Flags.boolean({ summary: 'Every page, as NDJSON unless -o says otherwise.' }),
  };

  protected override input({ flags }: Line): Input {
    if (flags.limit !== undefined && !/^[0-9]{1,9}$/.test(flags.limit)) {
      throw new Failure('usage', '--limit is a whole number. Nothing was sent.');
    }
    return { query: { cursor: flags.cursor, limit: flags.limit } };
  }

  protected override async act(line: Line, session: Session): Promise<void> {
    if (!line.flags.all) return super.act(line, session);
    const printer = await printerFor(this.ports, line.flags, this.row, 'pages');
    await printEveryPage(session.client, this.input(line), printer, this.house, line.flags);
  }
}
