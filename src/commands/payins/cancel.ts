/** `svc payins cancel`: cancels an incoming pay-in. */
import type { Parsed } from '../../cli/command.js';
import { CancelCommand } from '../../cli/call/cancel-command.js';
import type { Input } from '../../cli/call/endpoint-command.js';
import { operationArgs } from '../../cli/line/flags.js';

export default class PayinsCancel extends CancelCommand {
  static override readonly endpoint = 'payins.cancel';
  static override readonly summary = 'Cancel an incoming pay-in that still awaits its payment.';
  static override readonly examples = ['svc payins cancel $ID', 'svc payins cancel $ID --jq .status'];
  static override readonly args = operationArgs;
  static override readonly flags = {};

  protected override input({ args }: Parsed<typeof PayinsCancel>): Input {
    return { id: args.id };
  }
}
