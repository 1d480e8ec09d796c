/** `svc payouts get`: reads one payout. */
import type { Parsed } from '../../cli/command.js';
import { EndpointCommand, type Input } from '../../cli/call/endpoint-command.js';
import { operationArgs, readFlags } from '../../cli/line/flags.js';

export default class PayoutsGet extends EndpointCommand {
  static override readonly endpoint = 'payouts.get';
  static override readonly summary = 'Show a payout.';
  static override readonly examples = ['svc payouts get $ID', 'svc payouts get $ID --wait --exit-status'];
  static override readonly args = operationArgs;
  static override readonly flags = readFlags;

  protected override input({ args }: Parsed<typeof PayoutsGet>): Input {
    return { id: args.id };
  }
}
