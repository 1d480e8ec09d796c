/** `svc balances`: the company's balance in each currency. */
import { callEndpoint } from '../cli/call/endpoint-call.js';
import { SERVICE_FLAGS } from '../cli/line/flags.js';
import { SvcCommand } from '../cli/command.js';

export default class Balances extends SvcCommand {
  static override readonly endpoint = 'balances';
  static override readonly summary = 'Show the balance in each currency.';
  static override readonly examples = ['svc balances', 'svc balances -o csv'];
  static override readonly heeds = SERVICE_FLAGS;
  static override readonly args = {};
  static override readonly flags = {};

  async run(): Promise<void> {
    await callEndpoint(await this.line(Balances), () => ({}));
  }
}
