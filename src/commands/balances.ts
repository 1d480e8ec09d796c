/** `svc balances`: the company's balance in each currency. */
import { EndpointCommand } from '../cli/call/endpoint-command.js';

export default class Balances extends EndpointCommand {
  static override readonly endpoint = 'balances';
  static override readonly summary = "Show the company's balance in each currency.";
  static override readonly examples = ['svc balances', 'svc balances -o csv'];
  static override readonly args = {};
  static override readonly flags = {};

  protected override input(): object {
    return {};
  }
}
