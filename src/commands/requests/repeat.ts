/** `svc requests repeat`: sends the same bytes with the same key again. */
import * as Args from '@oclif/core/args';
import { SvcCommand, type Parsed } from '../../command/base.js';
import { repeatRequest } from '../../command/requests/repetition.js';

export default class RequestsRepeat extends SvcCommand {
  static override readonly summary =
    'Send an open request again: the same key, the same bytes, the same address.';
  static override readonly examples = ['svc requests repeat $KEY', 'svc requests repeat $KEY --jq .status'];
  static override readonly args = {
    key: Args.string({ description: 'The idempotency key.', required: true, ignoreStdin: true }),
  };
  static override readonly flags = {};

  async run(): Promise<void> {
    const { args, flags }: Parsed<typeof RequestsRepeat> = await this.line(RequestsRepeat);
    await repeatRequest(this.house, args.key, flags);
  }
}
