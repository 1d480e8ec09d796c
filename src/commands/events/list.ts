/** `svc events list`: one page of events, or all of them. */
import type { Parsed } from '../../cli/command.js';
import type { Input } from '../../cli/call/endpoint-command.js';
import { PagedCommand, pageFlags, pageQuery } from '../../cli/call/paged-command.js';

export default class EventsList extends PagedCommand {
  static override readonly endpoint = 'events.list';
  static override readonly summary = 'List events in order: one page, or all of them.';
  static override readonly examples = ['svc events list --limit 20', "svc events list --all --jq '.type'"];
  static override readonly args = {};
  static override readonly flags = pageFlags('Events a page, 1 to 200.');

  protected override input({ flags }: Parsed<typeof EventsList>): Input {
    return { query: pageQuery(flags) };
  }
}
