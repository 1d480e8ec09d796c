/** `svc state init`: makes the tables of the state that machines share. */
import * as Flags from '@oclif/core/flags';
import { SvcCommand } from '../../cli/command.js';
import { initState, roleFlags } from './state.js';

export default class StateInit extends SvcCommand {
  static override readonly summary =
    'Make the tables of the shared state in the PostgreSQL database that SVC_STATE names: for one environment.';
  static override readonly description =
    'Those of the live environment are sealed with the key of SVC_STATE_KEY_FILE. Roles that are there are told what they may do; the SQL of ' +
    '--print makes them too: one owns the tables, one works, and one reads everything but the bodies of rows.';
  static override readonly examples = ['svc state init', 'svc state init --print > init.sql'];
  static override readonly args = {};
  static override readonly flags = {
    print: Flags.boolean({ summary: 'Print the SQL for whoever owns the database, and do nothing.' }),
    owner: Flags.string({
      summary: 'The role that owns the tables [default: svc_owner].',
      helpValue: 'ROLE',
    }),
    ...roleFlags,
  };

  async run(): Promise<void> {
    const run = await this.line(StateInit);
    await initState(run);
  }
}
