/** `svc payouts cancel`: cancels a payout. */
import type { Parsed } from '../../cli/command.js';
import { CancelCommand } from '../../cli/call/cancel-command.js';
import type { Input } from '../../cli/call/endpoint-command.js';
import { operationArgs } from '../../cli/line/flags.js';

export default class PayoutsCancel extends CancelCommand {
  static override readonly endpoint = 'payouts.cancel';
  static override readonly summary = 'Cancel a payout that has not been executed.';
  static override readonly examples = ['svc payouts cancel $ID', 'svc payouts cancel $ID --jq .status'];
  static override readonly args = operationArgs;
  static override readonly flags = {};

  protected override input({ args }: Parsed<typeof PayoutsCancel>): Input {
    return { id: args.id };
  }
}
