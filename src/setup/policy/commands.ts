import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { command } from '../../command/command.js';
import { takes } from '../../command/line/flags.js';

export const POLICY = {
  check: command({
    summary: 'Check a policy before it is put in place, or the one of this machine.',
    prints: 'PolicyChecked',
    description:
      'It needs no key and no network. FILE is judged by what it says. Without FILE, svc checks where the policy of this machine stands and whether its signers can be read, too.',
    examples: [
      'svc policy check policy.json',
      'svc policy check policy.json --signers allowed_signers',
      'svc policy check',
    ],
    exits: [14],
    heeds: [],
    args: { file: Args.string({ description: 'A policy', ignoreStdin: true }) },
    flags: {
      signers: Flags.string({
        summary: 'Report the lines of this list of signers that ssh-keygen passes over',
        ...takes('file'),
      }),
    },
    run: async (run) => (await import('./check.js')).checkPolicy(run, run.args.file),
  }),

  show: command({
    summary: 'Show what may be sent live from this machine.',
    prints: 'PolicyInForce',
    description: 'It needs no key and no network. It ends with 13 where the policy cannot be used.',
    examples: ['svc policy show', 'svc policy show --jq .policy.payouts'],
    heeds: [],
    run: async (run) => (await import('./check.js')).showPolicy(run),
  }),
};
