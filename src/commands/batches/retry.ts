/** `svc batches retry`: starts failed rows anew. */
import * as Flags from '@oclif/core/flags';
import { grouped } from '../../cli/line/flags.js';
import { SvcCommand } from '../../cli/command.js';
import { retryBatch } from './batches.js';
import { batchArgs, continuingFlags, sendingExitCodes } from '../../cli/bulk/flags.js';
import { Failure } from '../../runtime/failure.js';

export default class BatchesRetry extends SvcCommand {
  static override readonly summary = 'Send the failed and rejected rows again, as new operations.';
  static override readonly examples = [
    'svc batches retry $BATCH --failed',
    'svc batches retry $BATCH --failed --wait',
  ];
  static override readonly ownExitCodes = sendingExitCodes;
  static override readonly needs = ['failed'];
  static override readonly namesGlobal = ['live'] as const;
  static override readonly args = batchArgs;
  static override readonly flags = {
    ...grouped('WHICH ROWS', {
      failed: Flags.boolean({ summary: 'The rows that failed or were rejected' }),
    }),
    ...continuingFlags,
  };

  async run(): Promise<void> {
    const run = await this.line(BatchesRetry);
    const { flags } = run;
    if (!flags.failed) throw new Failure('usage', 'Add --failed. Nothing was sent.');
    await retryBatch(run, run.args.name);
  }
}
