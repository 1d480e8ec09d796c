/** `svc sandbox fault`: arms a fault for the next requests of a route. */
import * as Flags from '@oclif/core/flags';
import type { RunOf } from '../../cli/command.js';
import { failureOf } from './failure-flag.js';
import { callControl, controlExitCodes, type ControlRequest } from './control-call.js';
import { durationMs } from '../../cli/line/duration.js';
import { offers } from '../../cli/line/flags.js';
import { ENDPOINT_IDS } from '../../contract/endpoints.js';
import { Failure } from '../../runtime/failure.js';
import { FAULT_KINDS, NAMED_ROUTES } from '../../sandbox/store/faults.js';
import { ControlCommand } from './control-command.js';

export default class SandboxFault extends ControlCommand {
  static override readonly summary = 'Make the next requests of a route fail in a chosen way.';
  static override readonly examples = [
    'svc sandbox fault --route balances --status 503',
    'svc sandbox fault --route payouts.create --kind drop-after',
    'svc sandbox fault --route payouts.create --failure counterparty_rejected/account_closed --count 2',
    'svc sandbox fault --route events.list --delay 2s',
    'svc sandbox fault --clear',
  ];
  static override readonly ownExitCodes = controlExitCodes;
  static override readonly args = {};
  static override readonly flags = {
    route: Flags.string({
      summary: 'An endpoint, such as payouts.create, or * for all',
      options: ['*', ...ENDPOINT_IDS, ...NAMED_ROUTES],
      ...offers(['*', ...ENDPOINT_IDS]),
      helpValue: 'ROUTE',
    }),
    kind: Flags.string({
      summary: 'What happens [default: by --status, --failure, --delay]',
      options: [...FAULT_KINDS],
    }),
    status: Flags.string({ summary: 'Answer with this status', helpValue: 'N' }),
    'retry-after': Flags.string({
      summary: 'With --status: the wait to ask for',
      helpValue: 'DURATION',
    }),
    failure: Flags.string({
      summary: 'Fail the operation with this code and reason',
      helpValue: 'CODE/REASON',
    }),
    delay: Flags.string({ summary: 'Hold the answer back', helpValue: 'DURATION' }),
    clear: Flags.boolean({ summary: 'Remove all faults' }),
    count: Flags.string({ summary: 'How many requests it affects [default: 1]', helpValue: 'N' }),
  };

  async run(): Promise<void> {
    const run = await this.line(SandboxFault);
    await callControl(run, requestOf(run));
  }
}

/** @throws Failure `usage` */
function requestOf({ flags }: RunOf<typeof SandboxFault>): ControlRequest {
  const { route, status, failure, delay, count, 'retry-after': retryAfter } = flags;
  if (flags.clear) return clearing(flags);
  if (route === undefined)
    throw new Failure('usage', `Add --route ROUTE, or --route '*' for all requests. Nothing was sent.`);
  const kind = flags.kind ?? (failure === undefined ? delay && 'delay' : 'outcome');
  if (kind === undefined && status === undefined) {
    throw new Failure(
      'usage',
      'Add what goes wrong: --kind, --status, --failure or --delay. Nothing was sent.',
    );
  }
  const body = {
    route,
    kind,
    status: wholeNumber(status, '--status'),
    retry_after:
      retryAfter === undefined ? undefined : Math.ceil(durationMs(retryAfter, '--retry-after') / 1000),
    failure: failure === undefined ? undefined : failureOf(failure),
    delay_ms: delay === undefined ? undefined : durationMs(delay, '--delay'),
    count: wholeNumber(count, '--count'),
  };
  return { method: 'POST', path: '/faults', body };
}

/** @throws Failure `usage` where something is armed, too */
function clearing({
  route,
  kind,
  status,
  failure,
  delay,
}: RunOf<typeof SandboxFault>['flags']): ControlRequest {
  const isAlone = [route, kind, status, failure, delay].every((value) => value === undefined);
  if (isAlone) return { method: 'POST', path: '/faults/clear', body: {} };
  throw new Failure('usage', 'Give --clear alone: it disarms, and the other flags arm. Nothing was sent.');
}

function wholeNumber(text: string | undefined, flag: string): number | undefined {
  if (text === undefined || /^[0-9]{1,9}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new Failure('usage', `${flag} must be a whole number. Nothing was sent.`);
}
