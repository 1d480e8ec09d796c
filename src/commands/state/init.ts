/** `svc state init`: makes the tables of the state that machines share. */
import * as Flags from '@oclif/core/flags';
import { SvcCommand } from '../../cli/command.js';
import { initState } from './state.js';

export default class StateInit extends SvcCommand {
  static override readonly summary =
    'Make the tables of the shared state in the PostgreSQL database that SVC_STATE names; for the sandbox so far.';
  static override readonly examples = ['svc state init', 'svc state init --print'];
  static override readonly args = {};
  static override readonly flags = {
    print: Flags.boolean({ summary: 'Print the SQL for whoever owns the database, and do nothing.' }),
  };

  async run(): Promise<void> {
    const run = await this.line(StateInit);
    await initState(run, run.flags.print);
  }
}
