/** `svc transactions get`: reads an operation of either type. */
import type { Parsed } from '../../cli/command.js';
import { EndpointCommand, type Input } from '../../cli/call/endpoint-command.js';
import { operationArgs, readFlags } from '../../cli/line/flags.js';

export default class TransactionsGet extends EndpointCommand {
  static override readonly endpoint = 'transactions.get';
  static override readonly summary = 'Show an operation, pay-in or payout.';
  static override readonly examples = [
    'svc transactions get $ID',
    'svc transactions get $ID --wait --exit-status',
  ];
  static override readonly args = operationArgs;
  static override readonly flags = readFlags;

  protected override input({ args }: Parsed<typeof TransactionsGet>): Input {
    return { id: args.id };
  }
}
