/** `svc sandbox exec`: runs a command beside a sandbox of its own, for tests in any language. */
import * as Args from '@oclif/core/args';
import { SvcCommand } from '../../cli/command.js';
import { runBesideSandbox, takeCommand } from './beside.js';

export default class SandboxExec extends SvcCommand {
  static override readonly summary = 'Run a command beside a fresh sandbox of its own.';
  static override readonly description =
    'The sandbox is in memory, on a free port, and ends with the command. The command gets SVC_BASE_URL, SVC_API_KEY, SVC_SANDBOX_URL (ends in /sandbox), SVC_CONTROL_URL (ends in /_control) and SVC_HOME, a new empty folder: svc knows nothing of your profiles there. It gets no other SVC_ variable. With --live its key is a live one, and SVC_ENV=live and SVC_INSECURE_LOOPBACK=1 are set. No shell runs it. svc exits as the command exits; after a signal, with 128 and its number.';
  static override readonly examples = ['svc sandbox exec -- npm test', 'svc sandbox exec --live -- npm test'];
  static override readonly ownExitCodes = [126, 127];
  static override readonly heeds = ['live'] as const;
  static override readonly typedArguments = '-- COMMAND';
  static override readonly args = {
    command: Args.string({ description: 'A program and its arguments', ignoreStdin: true }),
  };
  static override readonly flags = {};

  async run(): Promise<void> {
    const { own, command } = takeCommand(this.argv);
    this.argv = own;
    const { flags } = await this.line(SandboxExec);
    await runBesideSandbox(this.ports, command, flags.live);
  }
}
