/** `svc requests forget`: removes open requests, and the personal data in them, from this machine. */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { SvcCommand } from '../../cli/command.js';
import { forgetRequests } from './forgetting.js';
import { Failure } from '../../runtime/failure.js';

export default class RequestsForget extends SvcCommand {
  static override readonly summary = 'Remove open requests from this machine; nothing is sent.';
  static override readonly description =
    'A request that is forgotten may have paid, and nobody can repeat it. At a terminal svc asks first; live, you type the total. Without a terminal it needs --yes.';
  static override readonly examples = ['svc requests forget $KEY --yes', 'svc requests forget --all --yes'];
  static override readonly ownExitCodes = [5];
  static override readonly namesGlobal = ['yes'] as const;
  static override readonly args = {
    key: Args.string({ description: 'Idempotency key', ignoreStdin: true }),
  };
  static override readonly flags = {
    all: Flags.boolean({ summary: 'Every open request' }),
  };

  async run(): Promise<void> {
    const run = await this.line(RequestsForget);
    const { args, flags } = run;
    const isClear = args.key === undefined ? flags.all : !flags.all;
    if (!isClear) throw new Failure('usage', 'Name one key of "svc requests list", or add --all.');
    await forgetRequests(run, run.args.key ?? null);
  }
}
