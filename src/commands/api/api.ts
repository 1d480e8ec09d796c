/** `svc api`: any request below /v2 with the profile's key; the answer's bytes and nothing else. */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { callAnything } from './any-request.js';
import { SvcCommand } from '../../cli/command.js';
import { dataFlags, newPaymentFlag } from '../../cli/line/flags.js';

export default class Api extends SvcCommand {
  static override readonly summary =
    "Send any request with the profile's key; prints the answer's bytes and nothing else.";
  static override readonly description =
    'A path of the table is that row: a create has its key and its place in the journal, written any other way it is refused. Live at a terminal ' +
    'a person is asked before anything but a read leaves.';
  static override readonly examples = [
    'svc api GET /v2/methods -f country=VE',
    "svc api GET /v2/balances --jq '.balances'",
  ];
  static override readonly ownExitCodes = [5, 6, 7, 9, 10, 11, 12];
  static override readonly args = {
    method: Args.string({ description: 'GET, POST, ...', required: true, ignoreStdin: true }),
    path: Args.string({
      description: 'From /v2/ on, as the service writes it, with or without a query.',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override readonly flags = {
    field: Flags.string({
      char: 'f',
      summary: 'A query parameter of a GET, a member of the JSON body of any other; repeatable.',
      helpValue: 'NAME=VALUE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    ...dataFlags,
    'idempotency-key': Flags.string({
      summary: 'The key of a create [default: as of payins create].',
      helpValue: 'KEY',
    }),
    'new-payment': newPaymentFlag,
  };

  async run(): Promise<void> {
    const run = await this.line(Api);
    await callAnything(run, run.args);
  }
}
