import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { command } from '../../command/command.js';
import { dataFlags, newPaymentFlag, offers, repeatable } from '../../command/line/flags.js';
import { Failure } from '../../runtime/failure.js';
import { quote } from '../../runtime/shell.js';

export const API = command({
  summary: "Send any request below /v2, and print the answer's bytes.",
  prints: 'AnyAnswer',
  description:
    'A create is checked and keyed as with "svc payouts create", without the catalog. Live at a terminal, svc asks before it sends more than a read.',
  examples: ['svc api GET /v2/methods -f country=VE', "svc api GET /v2/balances --jq '.balances'"],
  exits: [5, 6, 7, 9, 10, 11, 12],
  typedArguments: '[METHOD] PATH',
  namesGlobal: ['live'],
  args: {
    method: Args.string({
      description: 'GET (default), POST, ..., before the path',
      required: true,
      ignoreStdin: true,
      ...offers(['GET', 'POST']),
    }),
    path: Args.string({ description: 'Path with its query, such as /v2/balances', ignoreStdin: true }),
  },
  flags: {
    field: Flags.string({
      char: 'f',
      summary: 'In the query of a GET, else in the body; repeatable',
      helpValue: 'NAME=VALUE',
      ...repeatable,
    }),
    ...dataFlags,
    'idempotency-key': Flags.string({
      summary: 'Key of a create [default: svc makes one]',
      helpValue: 'KEY',
    }),
    'new-payment': newPaymentFlag,
  },
  async run(run) {
    const { method, path } = run.args;
    if (path === undefined && !method.includes('/'))
      throw new Failure('usage', 'PATH is missing. Nothing was sent.', {
        otherCommand: { when: 'For example', line: `svc api ${quote(method)} /v2/balances` },
      });
    const { callAnything } = await import('./send.js');
    await callAnything(run, path === undefined ? { method: null, path: method } : { method, path });
  },
});
