/** `svc sandbox reset`: empties the sandbox; the ready key stays, unless the store has to be replaced by a new one. */
import { callControl, controlExitCodes } from './control-call.js';
import { forgetSandbox, openReset, unemptied } from './emptying.js';
import type { ServiceConnection } from '../../cli/session/connection.js';
import { ControlCommand } from './control-command.js';

export default class SandboxReset extends ControlCommand {
  static override readonly summary = 'Empty the sandbox; the key of its default company stays.';
  static override readonly description =
    'A store that svc cannot use (damaged, or of a newer svc) is replaced, with a new key.';
  static override readonly examples = ['svc sandbox reset', 'svc sandbox reset --jq .reset'];
  static override readonly ownExitCodes = controlExitCodes;
  static override readonly args = {};
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await this.line(SandboxReset);
    const steps = {
      embedded: openReset,
      after: (connection: ServiceConnection) => forgetSandbox(run, connection),
    };
    await callControl(run, { method: 'POST', path: '/reset', body: {} }, steps).catch((error: unknown) => {
      throw unemptied(error);
    });
  }
}
