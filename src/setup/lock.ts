import * as Args from '@oclif/core/args';
import { command } from '../command/command.js';

export const LOCK = command({
  summary: 'Run a command under a lock that it cannot take off.',
  prints: { text: 'What the command prints' },
  description:
    'sandbox: svc sends nothing live. read-only: live, svc only reads. The lock holds for the command and all that it starts, also in the background; a tighter one that is on already stays. No shell runs it. svc ends as the command ends.',
  examples: ['svc lock sandbox -- your-agent', 'svc lock read-only -- npm test'],
  exits: [126, 127],
  heeds: [],
  words: 'needed',
  typedArguments: 'sandbox|read-only -- COMMAND',
  args: {
    lock: Args.string({
      description: 'How much svc may do',
      options: ['sandbox', 'read-only'],
      required: true,
      ignoreStdin: true,
    }),
    command: Args.string({ description: 'A program and its arguments', ignoreStdin: true }),
  },
  async run({ ports, args, words }) {
    const { lockOf } = await import('../session/guard/open-guard.js');
    const { holdLock } = await import('../runtime/parents.js');
    const lock = lockOf(ports) === 'sandbox' ? 'sandbox' : args.lock;
    const env = holdLock(lock, ports.env);
    const { runCommand } = await import('../sandbox/beside/run-command.js');
    const exitCode = await runCommand(words, { env, signal: ports.signal }, 'inPlace');
    if (exitCode === 0) return;
    const { ProgramEnded } = await import('../runtime/failure.js');
    throw new ProgramEnded(exitCode);
  },
});
