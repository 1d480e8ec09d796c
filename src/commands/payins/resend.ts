/** `svc payins resend`: asks for a new code. */
import { callEndpoint } from '../../cli/call/endpoint-call.js';
import { SvcCommand } from '../../cli/command.js';
import { withWholeId } from '../../cli/feed/short-id.js';
import { operationArgs } from '../../cli/line/flags.js';

export default class PayinsResend extends SvcCommand {
  static override readonly endpoint = 'payins.resend';
  static override readonly summary = 'Send the payer a new code; the old one stops working.';
  static override readonly examples = ['svc payins resend $ID', 'svc payins resend $ID --jq .status'];
  static override readonly namesGlobal = ['live'] as const;
  static override readonly args = operationArgs;
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await withWholeId(await this.line(PayinsResend), 'told');
    await callEndpoint(run, () => ({ id: run.args.id }));
  }
}
