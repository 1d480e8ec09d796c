/** `svc sandbox ping`: sends a `test.ping` to the url that a company registered. */
import * as Flags from '@oclif/core/flags';
import { Failure } from '../../runtime/failure.js';
import type { RunOf } from '../../cli/command.js';
import { callControl, controlExitCodes, type ControlRequest } from './control-call.js';
import { ControlCommand } from './control-command.js';

export default class SandboxPing extends ControlCommand {
  static override readonly summary =
    'Send a test.ping to the registered URL of a company; it is not stored as an event.';
  static override readonly examples = ['svc sandbox ping', 'svc sandbox ping --company default'];
  static override readonly ownExitCodes = controlExitCodes;
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
    const { company = 'default', environment = 'sandbox' } = run.flags;
    await callControl(run, requestOf(run)).catch((error: unknown) => {
      throw isNowhere(error) ? nowhere(company, environment, error) : error;
    });
  }
}

/** @throws Failure `usage` */
function requestOf({ flags }: RunOf<typeof SandboxPing>): ControlRequest {
  const { company, environment } = flags;
  return { method: 'POST', path: '/ping', body: { company, environment } };
}

/** A company that is not there, or has no URL. */
function isNowhere(error: unknown): error is Failure {
  return error instanceof Failure && error.facts.details?.some(({ field }) => field === 'company') === true;
}

function nowhere(company: string, environment: string, { kind, facts }: Failure): Failure {
  // A line in words stands in place of the field and its code.
  const items = [`The company "${company}" has no registered URL (${environment}).`];
  const advice = ['Register one: svc webhooks register --url URL'];
  return new Failure(kind, 'The sandbox sent no ping.', { ...facts, items, advice });
}
