/** `svc payouts cancel`: cancels a payout. */
import { cancelOperation } from '../../cli/call/confirmation.js';
import { SvcCommand } from '../../cli/command.js';
import { namingDirection } from '../../cli/feed/other-direction.js';
import { withWholeId } from '../../cli/feed/short-id.js';
import { operationArgs } from '../../cli/line/flags.js';

export default class PayoutsCancel extends SvcCommand {
  static override readonly endpoint = 'payouts.cancel';
  static override readonly summary = 'Cancel a payout that is not executed yet.';
  static override readonly examples = ['svc payouts cancel $ID', 'svc payouts cancel $ID --jq .status'];
  static override readonly namesGlobal = ['live'] as const;
  static override readonly args = operationArgs;
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await withWholeId(await this.line(PayoutsCancel), 'told');
    await namingDirection(run, run.args.id, () => cancelOperation(run, run.args.id));
  }
}
