/** `svc batches list`: the batches of this machine. */
import { SvcCommand } from '../../cli/command.js';
import { listBatches } from './batches.js';

export default class BatchesList extends SvcCommand {
  static override readonly summary = 'List the batches, and how each stands.';
  static override readonly examples = ['svc batches list', "svc batches list --jq '.batches[].batch'"];
  static override readonly args = {};
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await this.line(BatchesList);
    await listBatches(run);
  }
}
