/** `svc batches drop`: removes what never left of a batch. */
import { SvcCommand } from '../../cli/command.js';
import { dropBatch } from './batches.js';
import { batchArgs } from '../../cli/bulk/flags.js';

export default class BatchesDrop extends SvcCommand {
  static override readonly summary =
    'Remove the unsent rows of a batch, so that you can send a corrected file.';
  static override readonly examples = [
    'svc batches drop $BATCH',
    'svc batches drop $BATCH --jq .rows_dropped',
  ];
  static override readonly ownExitCodes = [5, 15];
  static override readonly args = batchArgs;
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await this.line(BatchesDrop);
    await dropBatch(run, run.args.name);
  }
}
