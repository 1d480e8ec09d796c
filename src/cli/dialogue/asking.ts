/** When a command asks a person instead of refusing, and how it ends after that. */
import type { EndpointId } from '../../contract/endpoints.js';
import { Failure, type FailureDetail } from '../../runtime/failure.js';
import { Stopped } from '../../runtime/ports.js';
import type { Run } from '../command.js';
import type { Ending, Sent } from '../call/ending.js';
import { mayConverse } from '../line/interaction.js';
import type * as Flow from './flow.js';
import type { FlowEnd, FlowFlags } from './flow.js';
import { type Printer, printerFor } from '../printing/printer.js';

export type DialogueFlags = FlowFlags & {
  readonly interactive?: boolean | undefined;
  readonly 'dry-run'?: boolean | undefined;
  readonly data?: string | undefined;
  readonly 'data-file'?: string | undefined;
};

/** How what the dialogue ended with is judged: as after a wait that is over. */
const JUDGED = { wait: true, 'wait-timeout': '0s' } as const;

/**
 * Sends; where a required field is missing and a person is there, or `-i` asks for it, the dialogue takes its place. A body that was given as a
 * whole is whole: what it lacks is asked for by `-i` alone.
 * @param isAskable what the dialogue mends
 * @returns null where it was sent without asking
 * @throws Failure `usage` for `-i` where nobody can be asked, and whatever sending or asking throws
 */
export async function sendOrAsk(
  { ports, flags }: Run<DialogueFlags>,
  send: () => Promise<void>,
  ask: () => Promise<FlowEnd | null>,
  isAskable: (detail: FailureDetail) => boolean,
): Promise<FlowEnd | null> {
  const mayAsk = mayConverse(ports, flags) && flags['dry-run'] !== true && flags.data !== '-';
  if (flags.interactive === true) return (mayAsk ? await ask() : null) ?? cannotAsk(mayAsk);
  try {
    await send();
    return null;
  } catch (error) {
    const isWhole = flags.data !== undefined || flags['data-file'] !== undefined;
    if (!mayAsk || isWhole || !isMissing(error, isAskable)) throw error;
    const flow = await ask();
    if (flow === null) throw error;
    return flow;
  }
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
  present: (judged: typeof JUDGED | object, sent: Sent, printer: Printer) => Promise<Ending>,
): Promise<void> {
  const nothing = new Failure('unsafe', 'Nothing was sent.', { code: 'not_confirmed' });
  if (sent === null) {
    if (end === 'stopped') throw new Stopped('SIGINT', 130, failure ?? nothing);
    throw failure ?? nothing;
  }
  const isAsked = flags.wait === true || flags['wait-timeout'] !== undefined;
  const judged = end === 'finished' && !isAsked && waitsForPayment(row, sent) ? {} : JUDGED;
  const { error } = await present(judged, sent, await printerFor(ports, flags, row));
  if (end === 'stopped' && !(error instanceof Stopped)) {
    throw new Stopped('SIGINT', 130, error instanceof Failure ? error : null);
  }
  // A person left what goes on without them: that is told, and is no error.
  if (end === 'left' && error instanceof Failure && error.kind === 'pending') {
    throw new Failure(error.kind, error.head, { ...error.facts, code: 'left' });
  }
  if (error !== null) throw error;
}

/** A pay-in that was created as it was meant to be: nothing more is to be done here. */
function waitsForPayment(row: EndpointId, { conclusion }: Sent): boolean {
  return row === 'payins.create' && conclusion.operation?.code === 'awaiting_payment';
}

/** Nothing was sent, and a person could give all that is missing. */
function isMissing(error: unknown, isAskable: (detail: FailureDetail) => boolean): boolean {
  if (!(error instanceof Failure) || error.kind !== 'usage') return false;
  const { details = [] } = error.facts;
  return details.some(({ code }) => code === 'required') && details.every(isAskable);
}

function cannotAsk(mayAsk: boolean): never {
  throw new Failure(
    'usage',
    mayAsk
      ? 'svc cannot ask for the fields: the catalog cannot be read, or does not offer this method. Nothing was sent.'
      : '-i needs a terminal. It cannot be used in CI, nor with --json, -o, --jq, --no-input, --dry-run or --data -. With TERM=dumb, set ACCESSIBLE=1. Nothing was sent.',
  );
}
