/** `svc events sync`: brings what this machine knows of the events up to date. */
import { SvcCommand } from '../../cli/command.js';
import { syncEvents } from './mirror-sync.js';

export default class EventsSync extends SvcCommand {
  static override readonly summary = 'Read the new events now, ahead of a batch that checks them.';
  static override readonly examples = ['svc events sync', 'svc events sync --jq .operations'];
  static override readonly ownExitCodes = [6, 10, 11];
  static override readonly args = {};
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await this.line(EventsSync);
    await syncEvents(run);
  }
}
