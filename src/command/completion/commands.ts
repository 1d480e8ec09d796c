import * as Args from '@oclif/core/args';
import { command } from '../command.js';
import { offersText, SCRIPTS, SHELLS, joinWords } from './shells.js';

const shell = Args.string({
  description: 'bash, zsh or fish',
  options: SHELLS,
  required: true,
  ignoreStdin: true,
});
const shellOf = (typed: string) => SHELLS.find((name) => name === typed) ?? 'bash';

export const COMPLETION = command({
  summary: 'Print a completion script for bash, zsh or fish.',
  prints: { text: 'A script for the shell' },
  description:
    '~/.bashrc: source <(svc completion bash)\n~/.zshrc, after compinit: source <(svc completion zsh)\nconfig.fish: svc completion fish | source',
  examples: ['svc completion bash', 'svc completion fish'],
  heeds: [],
  args: { shell },
  async run({ args, ports }) {
    await ports.output.write(SCRIPTS[shellOf(args.shell)]);
  },
});

export const COMPLETE = command({
  summary: 'Print what completes a command line: the completion scripts ask for it.',
  prints: { text: 'A line for each candidate' },
  examples: ['svc complete bash -- payins c', 'svc complete fish -- payouts create --method d'],
  heeds: [],
  words: 'needed',
  typedArguments: 'SHELL -- WORDS',
  args: { shell },
  async run({ args, words: typedWords, ports, entries, vocabulary }) {
    const [{ offersFor }, { specOf }, { knownValues, storedValues }] = await Promise.all([
      import('./offers.js'),
      import('./spec.js'),
      import('./known.js'),
    ]);
    const { words, keptLength } = joinWords(shellOf(args.shell), typedWords);
    const spec = specOf(await entries(), vocabulary, knownValues(ports.paths));
    const offers = offersFor(words, spec, (kind) => storedValues(kind, ports.paths));
    await ports.output.write(offersText(shellOf(args.shell), offers, words.at(-1) ?? '', keptLength));
  },
});
