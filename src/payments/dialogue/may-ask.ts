import type { EndpointId } from '../../contract/endpoints.js';
import { Failure } from '../../runtime/failure.js';
import { Stopped } from '../../runtime/ports.js';
import type { Run } from '../../command/command.js';
import type { Ending, CallResult } from '../../command/ending.js';
import { mayConverse } from '../../command/line/terminal.js';
import type { FlowEnd, FlowFlags, runDialogue } from './run-dialogue.js';
import { type Printer, printerFor } from '../../command/printer.js';

type DialogueFlags = FlowFlags & {
  readonly interactive?: boolean | undefined;
  readonly 'dry-run'?: boolean | undefined;
  readonly data?: string | undefined;
};

/** With these flags, `present` treats a pending result as the end of a `--wait`. */
const WAIT_IS_OVER = { wait: true, 'wait-timeout': '0s' } as const;

export function mayAsk({ ports, flags }: Run<DialogueFlags>): boolean {
  return mayConverse(ports, flags) && flags['dry-run'] !== true && flags.data !== '-';
}

export async function converse(...args: Parameters<typeof runDialogue>): Promise<FlowEnd | null> {
  return (await import('./run-dialogue.js')).runDialogue(...args);
}

export async function printFlowEnd(
  { ports, flags }: Run<FlowFlags & { readonly wait?: boolean | undefined }>,
  row: EndpointId,
  { end, lastCall, failure }: FlowEnd,
  present: (waitFlags: typeof WAIT_IS_OVER | object, sent: CallResult, printer: Printer) => Promise<Ending>,
): Promise<void> {
  const nothingSentFailure = new Failure('unsafe', 'Nothing was sent.', { code: 'not_confirmed' });
  if (lastCall === null) {
    if (end === 'stopped') throw new Stopped('SIGINT', 130, failure ?? nothingSentFailure);
    throw failure ?? nothingSentFailure;
  }
  const isWaitAsked = flags.wait === true || flags['wait-timeout'] !== undefined;
  // Without `--wait`, a new pay-in that waits for the payer is a success.
  const waitsForPayment =
    row === 'payins.create' && lastCall.conclusion.operation?.code === 'awaiting_payment';
  const waitFlags = end === 'finished' && !isWaitAsked && waitsForPayment ? {} : WAIT_IS_OVER;
  const { error } = await present(waitFlags, lastCall, await printerFor(ports, flags, row));
  if (end === 'stopped' && !(error instanceof Stopped)) {
    throw new Stopped('SIGINT', 130, error instanceof Failure ? error : null);
  }
  // The person left the dialogue while the payment was pending: the code `left` says so.
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
