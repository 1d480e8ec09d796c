/** `svc sandbox ping`: sends a `test.ping` to the url that a company registered. */
import * as Flags from '@oclif/core/flags';
import { SvcCommand, type RunOf } from '../../cli/command.js';
import { callControl, controlExitCodes, type ControlRequest } from './control-call.js';

export default class SandboxPing extends SvcCommand {
  static override readonly summary =
    'Send a test.ping to the registered URL of a company; it is not stored as an event.';
  static override readonly examples = ['svc sandbox ping', 'svc sandbox ping --company default'];
  static override readonly ownExitCodes = controlExitCodes;
  static override readonly heeds = ['base-url'] as const;
  static override readonly args = {};
  static override readonly flags = {
    company: Flags.string({ summary: 'The company [default: default]', helpValue: 'NAME' }),
    environment: Flags.string({
      summary: 'Its environment [default: sandbox]',
      options: ['sandbox', 'live'],
    }),
  };

  async run(): Promise<void> {
    const run = await this.line(SandboxPing);
    await callControl(run, requestOf(run));
  }
}

/** @throws Failure `usage` */
function requestOf({ flags }: RunOf<typeof SandboxPing>): ControlRequest {
  const { company, environment } = flags;
  return { method: 'POST', path: '/ping', body: { company, environment } };
}
