/** `svc batches resume`: goes on with a batch. */
import { SvcCommand } from '../../cli/command.js';
import { resumeBatch } from './batches.js';
import { batchArgs, continuingFlags, sendingExitCodes } from '../../cli/bulk/flags.js';

export default class BatchesResume extends SvcCommand {
  static override readonly summary =
    'Send what was not sent or not answered, with the same keys: nothing is paid twice.';
  static override readonly examples = ['svc batches resume $BATCH', 'svc batches resume $BATCH --wait'];
  static override readonly ownExitCodes = sendingExitCodes;
  static override readonly namesGlobal = ['live'] as const;
  static override readonly args = batchArgs;
  static override readonly flags = continuingFlags;

  async run(): Promise<void> {
    const run = await this.line(BatchesResume);
    await resumeBatch(run, run.args.name);
  }
}
