/** `svc completion`: a script that completes commands, flags and what this machine knows. */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { SvcCommand } from '../cli/command.js';
import { KNOWN_KINDS, specOf } from '../cli/completion/spec.js';
import { renderCompletion, renderKnown, SHELLS } from '../cli/completion/shells.js';
import { knownValues } from '../cli/completion/values.js';

export default class Completion extends SvcCommand {
  static override readonly summary = 'Print a completion script for bash, zsh or fish.';
  static override readonly description =
    '~/.bashrc: source <(svc completion bash)\n~/.zshrc, after compinit: source <(svc completion zsh)\nconfig.fish: svc completion fish | source';
  static override readonly examples = ['svc completion bash', 'svc completion fish'];
  static override readonly heeds = [] as const;
  static override readonly args = {
    shell: Args.string({
      description: 'bash, zsh or fish',
      options: SHELLS,
      required: true,
      ignoreStdin: true,
    }),
  };
  static override readonly flags = {
    /** For the scripts themselves. */
    known: Flags.string({
      summary: 'Print what this machine knows',
      options: [...KNOWN_KINDS],
      hidden: true,
    }),
  };

  async run(): Promise<void> {
    const run = await this.line(Completion);
    const { args, flags } = run;
    const { output, paths } = this.ports;
    const shell = SHELLS.find((one) => one === args.shell) ?? 'bash';
    const kind = KNOWN_KINDS.find((one) => one === flags.known);
    if (kind !== undefined) {
      const { knownHere } = await import('../cli/completion/known.js');
      return output.write(renderKnown(shell, knownHere(kind, paths)));
    }
    const spec = specOf(await run.entries(), run.vocabulary, knownValues(paths));
    await output.write(renderCompletion(shell, spec));
  }
}
