/** `svc payins confirm`: confirms a pay-in with the code its payer received. */
import * as Flags from '@oclif/core/flags';
import type { Parsed } from '../../cli/command.js';
import { EndpointCommand, type Input } from '../../cli/call/endpoint-command.js';
import { operationArgs, waitFlags } from '../../cli/line/flags.js';
import { mayConverse } from '../../cli/line/interaction.js';
import { converse, presentFlow } from '../../cli/dialogue/asking.js';
import type { Session } from '../../cli/session/session.js';

export default class PayinsConfirm extends EndpointCommand {
  static override readonly endpoint = 'payins.confirm';
  static override readonly summary =
    'Confirm a pay-in with the code its payer received; a wrong code ends it.';
  static override readonly examples = [
    'svc payins confirm $ID --code 123456',
    'printf 123456 | svc payins confirm $ID --code - --wait',
  ];
  static override readonly ownExitCodes = [8, 9];
  static override readonly args = operationArgs;
  static override readonly flags = {
    code: Flags.string({
      summary: 'The code, or - to read it from standard input; at a terminal it is asked for.',
      helpValue: 'CODE',
    }),
    ...waitFlags,
  };

  protected override async act(line: Parsed<typeof PayinsConfirm>, session: Session): Promise<void> {
    const { args, flags } = line;
    if (flags.code !== undefined || !mayConverse(this.ports, flags)) return super.act(line, session);
    const flow = await converse(this.house, flags, { kind: 'existing', id: args.id });
    if (flow === null) return super.act(line, session);
    await presentFlow(this.ports, flags, this.row, flow, (judged, conversation, printer) =>
      this.present({ ...line, flags: { ...flags, ...judged } }, session, conversation, printer),
    );
  }

  protected override async input({ args, flags }: Parsed<typeof PayinsConfirm>): Promise<Input> {
    const code = await this.secretText('--code', flags.code);
    return { id: args.id, body: Buffer.from(JSON.stringify({ code })), secrets: [code] };
  }
}
