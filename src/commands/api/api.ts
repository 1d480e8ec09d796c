/** `svc api`: any request below /v2 with the profile's key; the answer's bytes and nothing else. */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { callAnything } from './any-request.js';
import { SvcCommand } from '../../cli/command.js';
import { dataFlags, newPaymentFlag, offers } from '../../cli/line/flags.js';

export default class Api extends SvcCommand {
  static override readonly summary = "Send any request below /v2, and print the answer's bytes.";
  static override readonly description =
    'A create goes through the journal and has its idempotency key, as with "svc payouts create". Live at a terminal, svc asks before it sends anything but a read.';
  static override readonly examples = [
    'svc api GET /v2/methods -f country=VE',
    "svc api GET /v2/balances --jq '.balances'",
  ];
  static override readonly ownExitCodes = [5, 6, 7, 9, 10, 11, 12];
  static override readonly namesGlobal = ['live'] as const;
  static override readonly args = {
    method: Args.string({
      description: 'GET, POST, ...',
      required: true,
      ignoreStdin: true,
      ...offers(['GET', 'POST']),
    }),
    path: Args.string({
      description: 'Path with its query, such as /v2/balances',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override readonly flags = {
    field: Flags.string({
      char: 'f',
      summary: 'A query parameter of a GET, else a member of the body; repeatable',
      helpValue: 'NAME=VALUE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    ...dataFlags,
    'idempotency-key': Flags.string({
      summary: 'Key of a create [default: svc makes one]',
      helpValue: 'KEY',
    }),
    'new-payment': newPaymentFlag,
  };

  async run(): Promise<void> {
    const run = await this.line(Api);
    await callAnything(run, run.args);
  }
}
