/** `svc state status`: whether the shared state can be used. */
import { SvcCommand } from '../../cli/command.js';
import { showState } from './showing.js';

export default class StateStatus extends SvcCommand {
  static override readonly summary = 'Show where the shared state is, and whether it can be used.';
  static override readonly examples = ['svc state status', "svc state status --jq '.checks[]'"];
  static override readonly namesGlobal = ['state-url'] as const;
  static override readonly args = {};
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await this.line(StateStatus);
    await showState(run);
  }
}
