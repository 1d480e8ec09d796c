/** `svc sandbox reset`: empties the sandbox; the ready key stays. */
import { ControlCommand, type ControlRequest } from '../../command/sandbox/control-command.js';

export default class SandboxReset extends ControlCommand {
  static override readonly summary = 'Empty the sandbox; the key of its default company stays.';
  static override readonly examples = ['svc sandbox reset', 'svc sandbox reset --jq .reset'];
  static override readonly args = {};
  static override readonly flags = {};

  protected override request(): ControlRequest {
    return { method: 'POST', path: '/reset', body: {} };
  }
}
