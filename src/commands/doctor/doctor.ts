/** `svc doctor`: what is set, from where, and whether it works. */
import { SvcCommand } from '../../cli/command.js';
import { examine } from './examination.js';

export default class Doctor extends SvcCommand {
  static override readonly summary = 'Check settings, connection, clock, key and open work.';
  static override readonly examples = [
    'svc doctor',
    'svc doctor --jq \'.checks[] | select(.status != "ok")\'',
  ];
  static override readonly ownExitCodes = [10, 11];
  static override readonly args = {};
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await this.line(Doctor);
    const { flags } = run;
    await examine(this.ports, flags);
  }
}
