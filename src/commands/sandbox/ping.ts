/** `svc sandbox ping`: sends a `test.ping` to the url that a company registered. */
import * as Flags from '@oclif/core/flags';
import type { Parsed } from '../../cli/command.js';
import { ControlCommand, controlExitCodes, type ControlRequest } from './control-command.js';

export default class SandboxPing extends ControlCommand {
  static override readonly summary =
    "Send a test.ping to a company's registered url: signed like an event, once, and no event.";
  static override readonly examples = ['svc sandbox ping', 'svc sandbox ping --company default'];
  static override readonly ownExitCodes = controlExitCodes;
  static override readonly args = {};
  static override readonly flags = {
    company: Flags.string({ summary: 'The company [default: default].', helpValue: 'NAME' }),
    environment: Flags.string({
      summary: 'The environment of the company [default: sandbox].',
      options: ['sandbox', 'live'],
    }),
  };

  protected override request({ flags }: Parsed<typeof SandboxPing>): ControlRequest {
    const { company, environment } = flags;
    return { method: 'POST', path: '/ping', body: { company, environment } };
  }
}
