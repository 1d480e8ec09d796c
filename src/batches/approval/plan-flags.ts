import * as Flags from '@oclif/core/flags';
import type * as Interfaces from '@oclif/core/interfaces';
import { grouped, takes } from '../../command/line/flags.js';
import { VALID_FOR_DEFAULT } from '../../contract/limits.js';

export const sshKey = { summary: 'The ssh key that signs; a .pub: by ssh-agent', ...takes('file') } as const;

export const planFlags = grouped('APPROVAL', {
  plan: Flags.string({
    summary: 'Write a plan to this file, for others to approve; send nothing',
    ...takes('file'),
  }),
  'ssh-key': Flags.string(sshKey),
  'valid-for': Flags.string({
    summary: `How long the plan may be sent [default: ${VALID_FOR_DEFAULT}]`,
    helpValue: 'DURATION',
  }),
});

export type PlanFlags = Partial<Interfaces.InferredFlags<typeof planFlags>> & {
  readonly 'dry-run'?: boolean;
};
