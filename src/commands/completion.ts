/** `svc completion`: a script that completes commands, flags and what this machine knows. */
import * as Args from '@oclif/core/args';
import { SvcCommand } from '../cli/command.js';
import { specOf } from '../cli/completion/spec.js';
import { renderCompletion, SHELLS } from '../cli/completion/shells.js';
import { knownValues } from '../cli/completion/values.js';

export default class Completion extends SvcCommand {
  static override readonly summary = 'Print a completion script: source <(svc completion bash).';
  static override readonly description =
    'Load it in each new shell, so that it knows the profiles and the catalog as they are: in ~/.bashrc "source <(svc ' +
    'completion bash)", in ~/.zshrc the same with zsh after compinit, in config.fish "svc completion fish | source".';
  static override readonly examples = ['svc completion bash', 'svc completion fish'];
  static override readonly args = {
    shell: Args.string({
      description: 'bash, zsh or fish.',
      options: SHELLS,
      required: true,
      ignoreStdin: true,
    }),
  };
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await this.line(Completion);
    const { args } = run;
    const spec = specOf(await run.entries(), run.vocabulary, knownValues(this.ports.paths));
    await this.ports.output.write(
      renderCompletion(SHELLS.find((shell) => shell === args.shell) ?? 'bash', spec),
    );
  }
}
