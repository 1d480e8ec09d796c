/** `svc batches forget`: removes the personal data of a finished batch from this machine. */
import { SvcCommand } from '../../cli/command.js';
import { batchArgs } from '../../cli/bulk/flags.js';
import { forgetBatch } from './forgetting.js';

export default class BatchesForget extends SvcCommand {
  static override readonly summary =
    'Remove the request bodies of a finished batch, with their personal data.';
  static override readonly examples = [
    'svc batches forget $BATCH',
    'svc batches forget $BATCH --jq .bodies_removed',
  ];
  static override readonly ownExitCodes = [5, 15];
  static override readonly args = batchArgs;
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await this.line(BatchesForget);
    await forgetBatch(run, run.args.name);
  }
}
