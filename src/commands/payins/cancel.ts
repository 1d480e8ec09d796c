/** `svc payins cancel`: cancels an incoming pay-in. */
import { cancelOperation } from '../../cli/call/confirmation.js';
import { SvcCommand } from '../../cli/command.js';
import { namingDirection } from '../../cli/feed/other-direction.js';
import { withWholeId } from '../../cli/feed/short-id.js';
import { operationArgs } from '../../cli/line/flags.js';

export default class PayinsCancel extends SvcCommand {
  static override readonly endpoint = 'payins.cancel';
  static override readonly summary = 'Cancel a pay-in that still waits for its payment.';
  static override readonly examples = ['svc payins cancel $ID', 'svc payins cancel $ID --jq .status'];
  static override readonly namesGlobal = ['live'] as const;
  static override readonly args = operationArgs;
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await withWholeId(await this.line(PayinsCancel), 'told');
    await namingDirection(run, run.args.id, () => cancelOperation(run, run.args.id));
  }
}
