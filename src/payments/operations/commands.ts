import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { command } from '../../command/command.js';
import { takes } from '../../command/line/flags.js';
import { DIRECTIONS } from '../../contract/operation.js';

const lists = () => import('./list.js');

const offline = Flags.boolean({ summary: 'Ask the service nothing; show what is known here' });

export const OPERATIONS = {
  find: command({
    summary: 'Find operations by reference, bank reference or id.',
    prints: 'OperationList',
    examples: ['svc operations find invoice-2048', "svc operations find $ID --jq '.operations[].status'"],
    exits: [5, 6, 10, 11],
    args: {
      text: Args.string({
        description: 'A reference, a bank reference, or 6 or more characters of an id',
        required: true,
        ignoreStdin: true,
      }),
    },
    flags: { offline },
    run: async (run) => (await lists()).findOperations(run, run.args.text),
  }),

  list: command({
    summary: 'List the operations known to this machine, newest first.',
    prints: 'OperationList',
    description:
      'TIME is a date, a time or an age, such as 2026-09-01 or 24h. A final operation counts by the time it became final, a pending one by the time it was made.',
    examples: [
      'svc operations list --since 24h --status failed',
      'svc operations list --reference order-1 --jq ".operations[].id"',
      'svc operations list --direction payout --limit 1000 -o csv',
    ],
    exits: [6, 10, 11],
    flags: {
      status: Flags.string({ summary: 'Only this status', options: ['pending', 'confirmed', 'failed'] }),
      direction: Flags.string({ summary: 'Only money in (payin) or out (payout)', options: [...DIRECTIONS] }),
      method: Flags.string({ summary: 'Only this method', ...takes('method') }),
      since: Flags.string({ summary: 'Only from TIME on', helpValue: 'TIME' }),
      until: Flags.string({ summary: 'Only up to TIME; a date includes its whole day', helpValue: 'TIME' }),
      reference: Flags.string({
        summary: 'Only this reference; case and spaces do not matter',
        helpValue: 'TEXT',
      }),
      limit: Flags.string({ summary: 'Show at most N [default: 50]', helpValue: 'N' }),
      offline,
    },
    run: async (run) => (await lists()).listOperations(run),
  }),
};
