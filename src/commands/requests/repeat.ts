/** `svc requests repeat`: sends the same bytes with the same key again, of one open request or of all. */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { SvcCommand } from '../../cli/command.js';
import { repeatAll } from './repeat-all.js';
import { repeatRequest } from './repetition.js';
import { Failure } from '../../runtime/failure.js';

export default class RequestsRepeat extends SvcCommand {
  static override readonly summary =
    'Send an open request again, or all: the same key, the same bytes, the same address.';
  static override readonly description =
    'With --all each is repeated to its end, the oldest first; what may not be repeated is named and passed over. The exit code is then 12 ' +
    'where the outcome of one stays unknown, else 13, else 10 or 11, else 0. Live at a terminal a person is asked before each.';
  static override readonly examples = [
    'svc requests repeat $KEY',
    'svc requests repeat $KEY --jq .status',
    'svc requests repeat --all',
  ];
  static override readonly ownExitCodes = [5, 6, 7, 9, 10, 11, 12];
  static override readonly args = {
    key: Args.string({ description: 'The idempotency key.', ignoreStdin: true }),
  };
  static override readonly flags = {
    all: Flags.boolean({ summary: 'Every open request, the oldest first.' }),
    'same-company': Flags.boolean({
      summary:
        'Say that this key belongs to the company that sent it, where nothing shows it; live with --yes.',
    }),
  };

  async run(): Promise<void> {
    const run = await this.line(RequestsRepeat);
    const { args, flags } = run;
    const { key } = args;
    if (key === undefined && flags.all) return repeatAll(run);
    if (key === undefined || flags.all) throw new Failure('usage', 'Name one key, or say --all.');
    return repeatRequest(run, key);
  }
}
