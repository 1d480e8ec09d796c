/** `svc transactions trace`: one timeline of an operation. */
import { SvcCommand } from '../../cli/command.js';
import { withWholeId } from '../../cli/feed/short-id.js';
import { operationArgs } from '../../cli/line/flags.js';
import { traceOperation } from './time-line.js';

export default class TransactionsTrace extends SvcCommand {
  static override readonly summary = 'Show what became of an operation, step by step.';
  static override readonly examples = [
    'svc transactions trace $ID',
    "svc transactions trace $ID --jq '.timeline[]'",
  ];
  static override readonly ownExitCodes = [5, 10, 11];
  static override readonly args = operationArgs;
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await withWholeId(await this.line(TransactionsTrace));
    await traceOperation(run, run.args.id);
  }
}
