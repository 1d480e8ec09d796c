/** When a command asks a person instead of refusing, and how it ends after that. */
import type { EndpointId } from '../../contract/endpoints.js';
import { Failure } from '../../runtime/failure.js';
import { Stopped } from '../../runtime/ports.js';
import type { Run } from '../command.js';
import type { Ending, CallResult } from '../call/ending.js';
import { mayConverse } from '../line/interaction.js';
import type * as Flow from './flow.js';
import type { FlowEnd, FlowFlags } from './flow.js';
import { type Printer, printerFor } from '../printing/printer.js';

type DialogueFlags = FlowFlags & {
  readonly interactive?: boolean | undefined;
  readonly 'dry-run'?: boolean | undefined;
  readonly data?: string | undefined;
};

/** How what the dialogue ended with is judged: as after a wait that is over. */
const JUDGED = { wait: true, 'wait-timeout': '0s' } as const;

/** True where a person may be asked in place of a refusal. */
export function mayAsk({ ports, flags }: Run<DialogueFlags>): boolean {
  return mayConverse(ports, flags) && flags['dry-run'] !== true && flags.data !== '-';
}

/** Runs the dialogue, which loads only when somebody is asked. See flow.ts. */
export async function converse(...asked: Parameters<typeof Flow.runDialogue>): Promise<FlowEnd | null> {
  const flow = await import('./flow.js');
  return flow.runDialogue(...asked);
}

/** Shows what the dialogue ended with, and ends the command. @throws Failure, Stopped */
export async function presentFlow(
  { ports, flags }: Run<FlowFlags & { readonly wait?: boolean | undefined }>,
  row: EndpointId,
  { end, sent, failure }: FlowEnd,
  present: (judged: typeof JUDGED | object, sent: CallResult, printer: Printer) => Promise<Ending>,
): Promise<void> {
  const nothing = new Failure('unsafe', 'Nothing was sent.', { code: 'not_confirmed' });
  if (sent === null) {
    if (end === 'stopped') throw new Stopped('SIGINT', 130, failure ?? nothing);
    throw failure ?? nothing;
  }
  const isAsked = flags.wait === true || flags['wait-timeout'] !== undefined;
  // A pay-in that was created as it was meant to be: nothing more is to be done here.
  const waitsForPayment = row === 'payins.create' && sent.conclusion.operation?.code === 'awaiting_payment';
  const judged = end === 'finished' && !isAsked && waitsForPayment ? {} : JUDGED;
  const { error } = await present(judged, sent, await printerFor(ports, flags, row));
  if (end === 'stopped' && !(error instanceof Stopped)) {
    throw new Stopped('SIGINT', 130, error instanceof Failure ? error : null);
  }
  // A person left what goes on without them: they askServiceTime that, and it is no error.
  if (end === 'left' && error instanceof Failure && error.kind === 'pending') {
    throw new Failure(error.kind, error.head, { ...error.facts, code: 'left' });
  }
  if (error !== null) throw error;
}

/** `-i` where nobody can be asked, or there is nothing to ask. */
export function cannotAsk(isThere: boolean): never {
  throw new Failure(
    'usage',
    isThere
      ? 'svc cannot ask for the fields: the catalog cannot be read, or does not offer this method. Nothing was sent.'
      : '-i needs a terminal. It cannot be used in CI, nor with --json, -o, --jq, --no-input, --dry-run or --data -. With TERM=dumb, set ACCESSIBLE=1. Nothing was sent.',
  );
}
