/** `svc requests show`: shows one open request with its body. */
import * as Args from '@oclif/core/args';
import { SvcCommand } from '../../cli/command.js';
import { showRequest } from './requests.js';

export default class RequestsShow extends SvcCommand {
  static override readonly summary = 'Show an open request and its exact body.';
  static override readonly examples = ['svc requests show $KEY', 'svc requests show $KEY --jq .body'];
  static override readonly ownExitCodes = [5];
  static override readonly args = {
    key: Args.string({ description: 'Idempotency key', required: true, ignoreStdin: true }),
  };
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await this.line(RequestsShow);
    await showRequest(run, run.args.key);
  }
}
