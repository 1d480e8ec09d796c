/** `svc sandbox deliveries`: shows what was sent to registered URLs and what is owed, or sends one again. */
import * as Flags from '@oclif/core/flags';
import { callControl, controlExitCodes, type ControlRequest } from './control-call.js';
import { wholeSandboxId } from './short-id.js';
import { ControlCommand } from './control-command.js';

export default class SandboxDeliveries extends ControlCommand {
  static override readonly summary = 'Show the deliveries to registered URLs, or send one again.';
  static override readonly description = 'A running server sends them: svc sandbox start';
  static override readonly examples = [
    'svc sandbox deliveries',
    "svc sandbox deliveries --jq '.deliveries[].status'",
  ];
  static override readonly ownExitCodes = [...controlExitCodes, 5];
  static override readonly args = {};
  static override readonly flags = {
    resend: Flags.string({
      summary: 'Send this delivery again',
      helpValue: 'ID',
    }),
  };

  async run(): Promise<void> {
    const run = await this.line(SandboxDeliveries);
    const { resend } = run.flags;
    const id =
      resend === undefined
        ? undefined
        : await wholeSandboxId(run, 'delivery', { name: '--resend', text: resend });
    await callControl(run, requestOf(id));
  }
}

function requestOf(resend: string | undefined): ControlRequest {
  if (resend === undefined) return { method: 'GET', path: '/deliveries', list: 'deliveries' };
  return { method: 'POST', path: `/deliveries/${resend}/resend`, elementOf: 'deliveries' };
}
