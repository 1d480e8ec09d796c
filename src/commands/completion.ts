/** `svc completion`: a script that completes commands, flags and what this machine knows. */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { command } from '../cli/command.js';
import { renderCompletion, renderKnown, SHELLS } from '../cli/completion/shells.js';
import { KNOWN_KINDS, specOf } from '../cli/completion/spec.js';
import { knownValues } from '../cli/completion/values.js';

export const COMPLETION = command({
  summary: 'Print a completion script for bash, zsh or fish.',
  prints: { text: 'A script for the shell' },
  printsWith: { '--known': { text: 'A line for each value' } },
  description:
    '~/.bashrc: source <(svc completion bash)\n~/.zshrc, after compinit: source <(svc completion zsh)\nconfig.fish: svc completion fish | source',
  examples: ['svc completion bash', 'svc completion fish'],
  heeds: [],
  args: {
    shell: Args.string({
      description: 'bash, zsh or fish',
      options: SHELLS,
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    /** For the scripts themselves. */
    known: Flags.string({
      summary: 'Print what this machine knows',
      options: [...KNOWN_KINDS],
      hidden: true,
    }),
  },
  async run({ args, flags, ports: { output, paths }, entries, vocabulary }) {
    const shell = SHELLS.find((one) => one === args.shell) ?? 'bash';
    const kind = KNOWN_KINDS.find((one) => one === flags.known);
    if (kind !== undefined) {
      const { knownHere } = await import('../cli/completion/known.js');
      return output.write(renderKnown(shell, knownHere(kind, paths)));
    }
    const spec = specOf(await entries(), vocabulary, knownValues(paths));
    await output.write(renderCompletion(shell, spec));
  },
});
