/** `svc capabilities`: the whole catalog. */
import { callEndpoint } from '../cli/call/endpoint-call.js';
import { SERVICE_FLAGS } from '../cli/line/flags.js';
import { SvcCommand } from '../cli/command.js';

export default class Capabilities extends SvcCommand {
  static override readonly endpoint = 'capabilities';
  static override readonly summary = 'Show countries, currencies and methods, with fields and limits.';
  static override readonly examples = ['svc capabilities', "svc capabilities --jq '.countries[].code'"];
  static override readonly heeds = SERVICE_FLAGS;
  static override readonly args = {};
  static override readonly flags = {};

  async run(): Promise<void> {
    await callEndpoint(await this.line(Capabilities), () => ({}));
  }
}
