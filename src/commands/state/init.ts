/** `svc state init`: makes the tables of the state that machines share. */
import * as Flags from '@oclif/core/flags';
import { SvcCommand } from '../../cli/command.js';
import { initState, roleFlags } from './state.js';

export default class StateInit extends SvcCommand {
  static override readonly summary = 'Make the tables of the shared state in PostgreSQL.';
  static override readonly description =
    'SVC_STATE names the database. The tables are for one environment; live ones are sealed with the key in SVC_STATE_KEY_FILE. Existing roles get their rights; the SQL of --print makes the roles too. The reader reads everything but the bodies of rows.';
  static override readonly examples = ['svc state init', 'svc state init --print > init.sql'];
  static override readonly namesGlobal = ['state-url'] as const;
  static override readonly args = {};
  static override readonly flags = {
    print: Flags.boolean({ summary: 'Print the SQL, and change nothing' }),
    owner: Flags.string({
      summary: 'Role that owns the tables [default: svc_owner]',
      helpValue: 'ROLE',
    }),
    ...roleFlags,
  };

  async run(): Promise<void> {
    const run = await this.line(StateInit);
    await initState(run);
  }
}
