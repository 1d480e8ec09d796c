/** `svc operations find`: where a payment is. */
import * as Args from '@oclif/core/args';
import { SvcCommand } from '../../cli/command.js';
import { findOf, offlineFlag } from './operations.js';

export default class OperationsFind extends SvcCommand {
  static override readonly summary = 'Find operations by reference, bank reference or id.';
  static override readonly examples = [
    'svc operations find invoice-2048',
    "svc operations find $ID --jq '.operations[].status'",
  ];
  static override readonly ownExitCodes = [5, 6, 10, 11];
  static override readonly args = {
    text: Args.string({
      description: 'A reference, a bank reference, or 6 or more characters of an id',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override readonly flags = { offline: offlineFlag };

  async run(): Promise<void> {
    const run = await this.line(OperationsFind);
    await findOf(run, run.args.text);
  }
}
