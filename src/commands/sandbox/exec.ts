/** `svc sandbox exec`: runs a command beside a sandbox of its own, for tests in any language. */
import * as Args from '@oclif/core/args';
import { SvcCommand } from '../../cli/command.js';
import { runBesideSandbox, takeCommand } from './beside.js';

export default class SandboxExec extends SvcCommand {
  static override readonly summary = 'Run a command beside a fresh sandbox of its own, and end as it ends.';
  static override readonly description =
    'The sandbox is in memory, on a free port, and gone when the command ends. The command gets SVC_BASE_URL, SVC_API_KEY, ' +
    'SVC_SANDBOX_URL (ends in /sandbox), SVC_CONTROL_URL (ends in /_control) and SVC_HOME, and no other variable that begins with SVC_. ' +
    'SVC_HOME is a folder for svc itself: beside the sandbox it knows nothing of your profiles, batches and requests. It is gone with it. ' +
    'With --live its key is a live one, and SVC_ENV=live and SVC_INSECURE_LOOPBACK=1 are set. It runs in no shell; with it ends what it ' +
    'started. Its exit code is that of svc, 128 and more where a signal ended it.';
  static override readonly examples = ['svc sandbox exec -- npm test', 'svc sandbox exec --live -- npm test'];
  static override readonly ownExitCodes = [126, 127];
  static override readonly args = {
    command: Args.string({ description: 'Behind "--": what is run, with its arguments.', ignoreStdin: true }),
  };
  static override readonly flags = {};

  async run(): Promise<void> {
    const { own, command } = takeCommand(this.argv);
    this.argv = own;
    const { flags } = await this.line(SandboxExec);
    await runBesideSandbox(this.ports, command, flags.live);
  }
}
