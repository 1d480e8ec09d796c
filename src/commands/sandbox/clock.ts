/** `svc sandbox clock`: reads the sandbox's clock, or moves it. */
import * as Args from '@oclif/core/args';
import type { RunOf } from '../../cli/command.js';
import { callControl, controlExitCodes, type ControlRequest } from './control-call.js';
import { durationMs } from '../../cli/line/duration.js';
import { Failure } from '../../runtime/failure.js';
import { ControlCommand } from './control-command.js';

export default class SandboxClock extends ControlCommand {
  static override readonly summary = 'Show the time of the sandbox, or advance it.';
  static override readonly examples = ['svc sandbox clock', 'svc sandbox clock advance 48h'];
  static override readonly ownExitCodes = controlExitCodes;
  static override readonly typedArguments = '[advance DURATION]';
  static override readonly args = {
    action: Args.string({ description: 'Move the clock forward', options: ['advance'], ignoreStdin: true }),
    duration: Args.string({ description: 'How far: 30s, 5m, 48h, 2d', ignoreStdin: true }),
  };
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await this.line(SandboxClock);
    await callControl(run, requestOf(run));
  }
}

/** @throws Failure `usage` */
function requestOf({ args }: RunOf<typeof SandboxClock>): ControlRequest {
  if (args.action === undefined) return { method: 'GET', path: '/clock' };
  if (args.duration === undefined)
    throw new Failure('usage', 'Add how far to advance, for example: svc sandbox clock advance 48h');
  const seconds = durationMs(args.duration, 'How far') / 1000;
  return { method: 'POST', path: '/clock', body: { advance_seconds: seconds } };
}
