/** `svc payouts get`: reads one payout. */
import { SvcCommand } from '../../cli/command.js';
import { readOfDirection } from '../../cli/feed/other-direction.js';
import { withWholeId } from '../../cli/feed/short-id.js';
import { operationArgs, readFlags } from '../../cli/line/flags.js';

export default class PayoutsGet extends SvcCommand {
  static override readonly endpoint = 'payouts.get';
  static override readonly summary = 'Show a payout.';
  static override readonly examples = ['svc payouts get $ID', 'svc payouts get $ID --wait --exit-status'];
  static override readonly args = operationArgs;
  static override readonly flags = readFlags;

  async run(): Promise<void> {
    const run = await withWholeId(await this.line(PayoutsGet));
    await readOfDirection(run, run.args.id);
  }
}
