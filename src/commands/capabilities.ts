/** `svc capabilities`: the whole catalog. */
import { callEndpoint } from '../cli/call/endpoint-call.js';
import { SvcCommand } from '../cli/command.js';

export default class Capabilities extends SvcCommand {
  static override readonly endpoint = 'capabilities';
  static override readonly summary =
    'Show the countries, currencies and methods with their fields and limits.';
  static override readonly examples = ['svc capabilities', "svc capabilities --jq '.countries[].code'"];
  static override readonly args = {};
  static override readonly flags = {};

  async run(): Promise<void> {
    await callEndpoint(await this.line(Capabilities), () => ({}));
  }
}
