/** `svc capabilities`: the whole catalog. */
import { EndpointCommand } from '../cli/call/endpoint-command.js';

export default class Capabilities extends EndpointCommand {
  static override readonly endpoint = 'capabilities';
  static override readonly summary =
    'Show the countries, currencies and methods with their fields and limits.';
  static override readonly examples = ['svc capabilities', "svc capabilities --jq '.countries[].code'"];
  static override readonly args = {};
  static override readonly flags = {};

  protected override input(): object {
    return {};
  }
}
