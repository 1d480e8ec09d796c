/** `svc sandbox reset`: empties the sandbox; the ready key stays, unless the store has to be replaced by a new one. */
import { ControlCommand, controlExitCodes, type ControlRequest } from './control-command.js';
import { forgetSandbox } from './forgetting.js';
import { openReset, unemptied } from './emptying.js';
import type { GlobalFlags } from '../../cli/command.js';
import type { Connection } from '../../cli/session/connection.js';

export default class SandboxReset extends ControlCommand {
  static override readonly summary = 'Empty the sandbox; the key of its default company stays.';
  static override readonly description =
    'A store that this version of svc cannot use (damaged, or written by a newer one) is replaced by a new one, with another key.';
  static override readonly examples = ['svc sandbox reset', 'svc sandbox reset --jq .reset'];
  static override readonly ownExitCodes = controlExitCodes;
  static override readonly args = {};
  static override readonly flags = {};

  protected override request(): ControlRequest {
    return { method: 'POST', path: '/reset', body: {} };
  }

  override async run(): Promise<void> {
    try {
      await super.run();
    } catch (error) {
      throw unemptied(error);
    }
  }

  protected override embedded(): Promise<Connection> {
    return openReset(this.ports);
  }

  protected override after(connection: Connection, flags: GlobalFlags): Promise<void> {
    return forgetSandbox(this.ports, connection, flags);
  }
}
