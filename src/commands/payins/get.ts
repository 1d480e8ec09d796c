/** `svc payins get`: reads one pay-in. */
import type { Parsed } from '../../cli/command.js';
import { EndpointCommand, type Input } from '../../cli/call/endpoint-command.js';
import { operationArgs, readFlags } from '../../cli/line/flags.js';

export default class PayinsGet extends EndpointCommand {
  static override readonly endpoint = 'payins.get';
  static override readonly summary = 'Show a pay-in.';
  static override readonly examples = ['svc payins get $ID', 'svc payins get $ID --wait --exit-status'];
  static override readonly args = operationArgs;
  static override readonly flags = readFlags;

  protected override input({ args }: Parsed<typeof PayinsGet>): Input {
    return { id: args.id };
  }
}
