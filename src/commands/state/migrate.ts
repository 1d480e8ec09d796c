/** `svc state migrate`: brings the tables of the shared state to the version of this program. */
import * as Flags from '@oclif/core/flags';
import { SvcCommand } from '../../cli/command.js';
import { migrateState, roleFlags } from './state.js';

export default class StateMigrate extends SvcCommand {
  static override readonly summary = 'Bring the tables of the shared state to the version of this svc.';
  static override readonly description = 'Stop everyone who sends first.';
  static override readonly examples = ['svc state migrate', 'svc state migrate --print'];
  static override readonly namesGlobal = ['state-url'] as const;
  static override readonly args = {};
  static override readonly flags = {
    print: Flags.boolean({ summary: 'Print the SQL, and change nothing' }),
    ...roleFlags,
  };

  async run(): Promise<void> {
    const run = await this.line(StateMigrate);
    await migrateState(run);
  }
}
