import * as Flags from '@oclif/core/flags';
import { command } from '../../command/command.js';

const jobs = () => import('./init.js');

export const STATE = {
  init: command({
    summary: 'Make the tables of the shared state in PostgreSQL.',
    prints: 'StateMade',
    printsWith: { '--print': { text: 'SQL' } },
    description:
      'SVC_STATE names the database. The tables are for one environment; live ones are sealed with the key in SVC_STATE_KEY_FILE. Existing roles get their rights; the SQL of --print makes the roles too. The reader reads everything but the bodies of rows.',
    examples: ['svc state init', 'svc state init --print > init.sql'],
    namesGlobal: ['state-url'],
    flags: {
      print: Flags.boolean({ summary: 'Print the SQL, and change nothing' }),
      owner: Flags.string({ summary: 'Role that owns the tables [default: svc_owner]', helpValue: 'ROLE' }),
      worker: Flags.string({ summary: 'Role that sends [default: svc_worker]', helpValue: 'ROLE' }),
      reader: Flags.string({ summary: 'Role that reads [default: svc_reader]', helpValue: 'ROLE' }),
    },
    run: async (run) => (await jobs()).initState(run),
  }),

  status: command({
    summary: 'Show where the shared state is, and whether it can be used.',
    prints: 'StateStatus',
    examples: ['svc state status', "svc state status --jq '.checks[]'"],
    namesGlobal: ['state-url'],
    run: async (run) => (await jobs()).showState(run),
  }),
};
