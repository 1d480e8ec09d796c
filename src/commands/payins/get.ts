/** `svc payins get`: reads one pay-in. */
import { SvcCommand } from '../../cli/command.js';
import { readOfDirection } from '../../cli/feed/other-direction.js';
import { withWholeId } from '../../cli/feed/short-id.js';
import { operationArgs, readFlags } from '../../cli/line/flags.js';

export default class PayinsGet extends SvcCommand {
  static override readonly endpoint = 'payins.get';
  static override readonly summary = 'Show a pay-in.';
  static override readonly examples = ['svc payins get $ID', 'svc payins get $ID --wait --exit-status'];
  static override readonly args = operationArgs;
  static override readonly flags = readFlags;

  async run(): Promise<void> {
    const run = await withWholeId(await this.line(PayinsGet));
    await readOfDirection(run, run.args.id);
  }
}
