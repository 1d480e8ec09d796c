/** `svc payins resend`: asks for a new code. */
import type { Parsed } from '../../cli/command.js';
import { EndpointCommand, type Input } from '../../cli/call/endpoint-command.js';
import { operationArgs } from '../../cli/line/flags.js';

export default class PayinsResend extends EndpointCommand {
  static override readonly endpoint = 'payins.resend';
  static override readonly summary = 'Ask for a new code; the one before stops working.';
  static override readonly examples = ['svc payins resend $ID', 'svc payins resend $ID --jq .status'];
  static override readonly args = operationArgs;
  static override readonly flags = {};

  protected override input({ args }: Parsed<typeof PayinsResend>): Input {
    return { id: args.id };
  }
}
