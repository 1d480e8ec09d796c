/** `svc events list`: one page of events, or all of them. */
import { callPages, pageFlags } from '../../cli/call/paged-call.js';
import { CURSOR_FLAG, namingFlags } from '../../cli/call/refused-flag.js';
import { SERVICE_FLAGS } from '../../cli/line/flags.js';
import { SvcCommand } from '../../cli/command.js';

export default class EventsList extends SvcCommand {
  static override readonly endpoint = 'events.list';
  static override readonly summary = 'List events in order: one page, or all.';
  static override readonly examples = ['svc events list --limit 20', "svc events list --all --jq '.type'"];
  static override readonly heeds = SERVICE_FLAGS;
  static override readonly args = {};
  static override readonly flags = pageFlags('Events per page, 1 to 200');

  async run(): Promise<void> {
    await callPages(await this.line(EventsList)).catch(namingFlags(CURSOR_FLAG));
  }
}
