/** `svc payins confirm`: confirms a pay-in with the code its payer received. */
import * as Flags from '@oclif/core/flags';
import { callOpen, presentOver, secretText, withEndpoint } from '../../cli/call/endpoint-call.js';
import { SvcCommand } from '../../cli/command.js';
import { withWholeId } from '../../cli/feed/short-id.js';
import { operationArgs, waitFlags } from '../../cli/line/flags.js';
import { mayConverse } from '../../cli/line/interaction.js';
import { converse, presentFlow } from '../../cli/dialogue/asking.js';

export default class PayinsConfirm extends SvcCommand {
  static override readonly endpoint = 'payins.confirm';
  static override readonly summary = 'Confirm a pay-in with the code of its payer; a wrong code ends it.';
  static override readonly examples = [
    'svc payins confirm $ID --code 123456',
    'printf 123456 | svc payins confirm $ID --code - --wait',
  ];
  static override readonly ownExitCodes = [8, 9];
  static override readonly namesGlobal = ['live'] as const;
  static override readonly args = operationArgs;
  static override readonly flags = {
    code: Flags.string({
      summary: 'The code, or - for standard input; at a terminal svc asks',
      helpValue: 'CODE',
    }),
    ...waitFlags,
  };

  async run(): Promise<void> {
    const run = await withWholeId(await this.line(PayinsConfirm), 'told');
    const { args, flags, ports } = run;
    await withEndpoint(run, async (open) => {
      const mayAsk = flags.code === undefined && mayConverse(ports, flags);
      const flow = mayAsk ? await converse(open, { kind: 'existing', id: args.id }) : null;
      if (flow !== null) return presentFlow(open, open.row, flow, presentOver(open));
      await callOpen(open, async () => {
        const code = await secretText('--code', flags.code, ports);
        return { id: args.id, body: Buffer.from(JSON.stringify({ code })), secrets: [code] };
      });
    });
  }
}
