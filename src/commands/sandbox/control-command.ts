/** The base of the commands that ask a sandbox itself: which one is theirs to say, and their help says how. */
import { SvcCommand } from '../../cli/command.js';

export abstract class ControlCommand extends SvcCommand {
  static override readonly heeds = ['base-url'] as const;
  static override readonly namesGlobal = ['base-url'] as const;
  static override readonly globalSummaries = {
    'base-url': 'The sandbox at this address [default: the one of this machine]',
  };
}
