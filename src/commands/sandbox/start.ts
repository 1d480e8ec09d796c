/** `svc sandbox start`: serves the embedded sandbox over HTTP until it is stopped. */
import * as Flags from '@oclif/core/flags';
import { takes } from '../../cli/line/flags.js';
import { SvcCommand } from '../../cli/command.js';
import { serveSandbox } from './server.js';

export default class SandboxStart extends SvcCommand {
  static override readonly summary = 'Serve the sandbox over HTTP on this machine.';
  static override readonly examples = [
    'svc sandbox start --port 0 --store :memory: --json',
    'svc sandbox start --allow-http-webhooks --settle-after 5',
  ];
  static override readonly ownExitCodes = [15];
  static override readonly heeds = ['ca-file'] as const;
  static override readonly args = {};
  static override readonly flags = {
    port: Flags.string({
      summary: 'Port on 127.0.0.1; 0 for any free one',
      helpValue: 'N',
      default: '4010',
    }),
    store: Flags.string({
      summary: 'A file, or :memory: [default: in your data folder]',
      ...takes('file'),
      helpValue: 'PATH',
    }),
    code: Flags.string({ summary: 'The one valid code', helpValue: 'NNNNNN', default: '123456' }),
    'allow-http-webhooks': Flags.boolean({ summary: 'Accept http:// webhook URLs on this machine' }),
    open: Flags.boolean({ summary: 'Open its page in the browser' }),
    'settle-after': Flags.string({
      summary: 'Seconds that payouts and direct_debit stay pending',
      helpValue: 'SECONDS',
      default: '0',
    }),
  };

  async run(): Promise<void> {
    const run = await this.line(SandboxStart);
    const { flags } = run;
    await serveSandbox(this.ports, flags);
  }
}
