/** `svc sandbox status`: what time it is in the sandbox, and how much is in it. */
import { SvcCommand } from '../../cli/command.js';
import { callControl } from './control-call.js';

export default class SandboxStatus extends SvcCommand {
  static override readonly summary = 'Show the time of the sandbox, its code, and how much is in it.';
  static override readonly examples = ['svc sandbox status', 'svc sandbox status --jq .now'];
  static override readonly ownExitCodes = [10, 11];
  static override readonly heeds = ['base-url'] as const;
  static override readonly args = {};
  static override readonly flags = {};

  async run(): Promise<void> {
    await callControl(await this.line(SandboxStatus), { method: 'GET', path: '/status' });
  }
}
