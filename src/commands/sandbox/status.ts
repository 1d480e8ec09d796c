/** `svc sandbox status`: where the sandbox is and what time it is there. */
import { ControlCommand, type ControlRequest } from './control-command.js';

export default class SandboxStatus extends ControlCommand {
  static override readonly summary = 'Show where the sandbox is, whether a server owns it, and its time.';
  static override readonly examples = ['svc sandbox status', 'svc sandbox status --jq .now'];
  static override readonly ownExitCodes = [10, 11];
  static override readonly args = {};
  static override readonly flags = {};

  protected override request(): ControlRequest {
    return { method: 'GET', path: '/status' };
  }
}
