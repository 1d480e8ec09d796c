/** `svc batches status`: how one batch stands. */
import { SvcCommand } from '../../cli/command.js';
import { showBatch } from './batches.js';
import { batchArgs } from '../../cli/bulk/flags.js';

export default class BatchesStatus extends SvcCommand {
  static override readonly summary = 'Show how a batch stands, in rows and in money.';
  static override readonly examples = [
    'svc batches status $BATCH',
    'svc batches status $BATCH --jq .not_sent',
  ];
  static override readonly ownExitCodes = [5];
  static override readonly args = batchArgs;
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await this.line(BatchesStatus);
    await showBatch(run, run.args.name);
  }
}
