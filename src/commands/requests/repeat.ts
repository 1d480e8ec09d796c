/** `svc requests repeat`: sends the same bytes with the same key again, of one open request or of all. */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { SvcCommand } from '../../cli/command.js';
import { repeatAll } from './repeat-all.js';
import { repeatRequest } from './repetition.js';
import { Failure } from '../../runtime/failure.js';

export default class RequestsRepeat extends SvcCommand {
  static override readonly summary =
    'Send an open request again: the same key, the same bytes, the same address.';
  static override readonly description =
    'With --all svc repeats each, and names those it must not repeat. It exits with 12 if an outcome stays unknown, else 13, else 10 or 11, else 0. Live at a terminal, svc asks before each.';
  static override readonly examples = [
    'svc requests repeat $KEY',
    'svc requests repeat $KEY --jq .status',
    'svc requests repeat --all',
  ];
  static override readonly ownExitCodes = [5, 6, 7, 9, 10, 11, 12];
  static override readonly namesGlobal = ['live'] as const;
  static override readonly args = {
    key: Args.string({ description: 'Idempotency key', ignoreStdin: true }),
  };
  static override readonly flags = {
    all: Flags.boolean({ summary: 'Every open request, the oldest first' }),
    'same-company': Flags.boolean({
      summary: 'The key is of the company that sent it (live: add --yes)',
    }),
  };

  async run(): Promise<void> {
    const run = await this.line(RequestsRepeat);
    const { args, flags } = run;
    const { key } = args;
    if (key === undefined && flags.all) return repeatAll(run);
    if (key === undefined || flags.all)
      throw new Failure('usage', 'Name one key of "svc requests list", or add --all.');
    return repeatRequest(run, key);
  }
}
