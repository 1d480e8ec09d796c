/** `svc sandbox open`: shows the page of a running sandbox in the browser. */
import { showPage } from './page-address.js';
import { ControlCommand } from './control-command.js';

export default class SandboxOpen extends ControlCommand {
  static override readonly summary = 'Open the page of the sandbox, and print its address.';
  static override readonly description =
    'The page shows what arrived, why it was refused, what waits and what was delivered.';
  static override readonly examples = ['svc sandbox open', 'svc sandbox open --jq .url'];
  static override readonly ownExitCodes = [11];
  static override readonly args = {};
  static override readonly flags = {};

  async run(): Promise<void> {
    await showPage(await this.line(SandboxOpen));
  }
}
