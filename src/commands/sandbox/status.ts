/** `svc sandbox status`: what time it is in the sandbox, and how much is in it. */
import { callControl } from './control-call.js';
import { ControlCommand } from './control-command.js';

export default class SandboxStatus extends ControlCommand {
  static override readonly summary = 'Show the time of the sandbox, its code, and how much is in it.';
  static override readonly examples = ['svc sandbox status', 'svc sandbox status --jq .now'];
  static override readonly ownExitCodes = [10, 11];
  static override readonly args = {};
  static override readonly flags = {};

  async run(): Promise<void> {
    await callControl(await this.line(SandboxStatus), { method: 'GET', path: '/status' });
  }
}
