/** `svc transactions get`: reads an operation of either type. */
import { callEndpoint } from '../../cli/call/endpoint-call.js';
import { SvcCommand } from '../../cli/command.js';
import { withWholeId } from '../../cli/feed/short-id.js';
import { operationArgs, readFlags } from '../../cli/line/flags.js';

export default class TransactionsGet extends SvcCommand {
  static override readonly endpoint = 'transactions.get';
  static override readonly summary = 'Show an operation, pay-in or payout.';
  static override readonly examples = [
    'svc transactions get $ID',
    'svc transactions get $ID --wait --exit-status',
  ];
  static override readonly args = operationArgs;
  static override readonly flags = readFlags;

  async run(): Promise<void> {
    const run = await withWholeId(await this.line(TransactionsGet));
    await callEndpoint(run, () => ({ id: run.args.id }));
  }
}
