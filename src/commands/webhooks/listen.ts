/** `svc webhooks listen`: a local receiver that verifies, deduplicates and prints. */
import * as Flags from '@oclif/core/flags';
import { SvcCommand } from '../../cli/command.js';
import { listen } from './listening.js';
import { secretFlags, SECRET_PLACE } from './secrets.js';

export default class WebhooksListen extends SvcCommand {
  static override readonly summary =
    'Receive deliveries on this machine, verify them, and print each event once.';
  static override readonly examples = [
    'svc webhooks listen',
    'svc webhooks listen --port 3000 > events.ndjson',
  ];
  static override readonly heeds = SECRET_PLACE;
  static override readonly args = {};
  static override readonly flags = {
    port: Flags.string({ summary: 'Port; 0 for any free one', helpValue: 'N', default: '4020' }),
    ...secretFlags,
  };

  async run(): Promise<void> {
    const run = await this.line(WebhooksListen);
    const { flags } = run;
    await listen(this.ports, flags);
  }
}
