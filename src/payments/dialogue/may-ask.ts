import { Failure } from '../../runtime/failure.js';
import { Stopped } from '../../runtime/ports.js';
import type { Run } from '../../command/command.js';
import { mayConverse } from '../../command/line/terminal.js';
import type { FlowEnd, FlowFlags, runDialogue } from './run-dialogue.js';
import { printerFor } from '../../command/printer.js';
import { type EndpointFlags, type EndpointSession, printResult } from '../../command/call.js';

type DialogueFlags = FlowFlags & {
  readonly interactive?: boolean | undefined;
  readonly 'dry-run'?: boolean | undefined;
  readonly data?: string | undefined;
};

const FLAGS_AFTER_WAIT = { wait: true, 'wait-timeout': '0s' } as const;

export function mayAsk({ ports, flags }: Run<DialogueFlags>): boolean {
  return mayConverse(ports, flags) && flags['dry-run'] !== true && flags.data !== '-';
}

export async function converse(...args: Parameters<typeof runDialogue>): Promise<FlowEnd | null> {
  return (await import('./run-dialogue.js')).runDialogue(...args);
}

export async function printFlowEnd(
  run: EndpointSession<EndpointFlags & FlowFlags>,
  { end, lastCall, failure }: FlowEnd,
): Promise<void> {
  const { ports, flags, endpointId } = run;
  const nothingSentFailure = new Failure('unsafe', 'Nothing was sent.', { code: 'not_confirmed' });
  if (lastCall === null) {
    if (end === 'stopped') throw new Stopped('SIGINT', 130, failure ?? nothingSentFailure);
    throw failure ?? nothingSentFailure;
  }
  const isWaitAsked = flags.wait === true || flags['wait-timeout'] !== undefined;
  const waitsForPayment =
    endpointId === 'payins.create' && lastCall.conclusion.operation?.code === 'awaiting_payment';
  const waitFlags = end === 'finished' && !isWaitAsked && waitsForPayment ? {} : FLAGS_AFTER_WAIT;
  const endRun = { ...run, flags: { ...flags, ...waitFlags } };
  const { error } = await printResult(endRun, lastCall, await printerFor(ports, flags, endpointId));
  if (end === 'stopped' && !(error instanceof Stopped)) {
    throw new Stopped('SIGINT', 130, error instanceof Failure ? error : null);
  }
  if (end === 'left' && error instanceof Failure && error.kind === 'pending') {
    throw new Failure(error.kind, error.head, { ...error.facts, code: 'left' });
  }
  if (error !== null) throw error;
}

export function throwCannotAsk(mayAskPerson: boolean): never {
  throw new Failure(
    'usage',
    mayAskPerson
      ? 'svc cannot ask for the fields: the catalog cannot be read, or does not offer this method. Nothing was sent.'
      : '-i needs a terminal. It cannot be used in CI, nor with --json, -o, --jq, --no-input, --dry-run or --data -. With TERM=dumb, set ACCESSIBLE=1. Nothing was sent.',
  );
}
