/** A row of the table, called for a command: call, wait, print, and end with what the conclusion says. */
import type { Conversation } from '../../client/client.js';
import { conclude, type Conclusion } from '../../client/conclusion.js';
import { InvalidRequest, type RequestInput as Filled } from '../../client/request.js';
import type { EndpointId } from '../../contract/endpoints.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import type { GlobalFlags, Run } from '../command.js';
import { type Ending, endingOf, failureOf, printAnswer } from './ending.js';
import { type Printer, printerFor } from '../printing/printer.js';
import { type SessionRun, withSession } from '../session/session.js';
import { noteStatus } from '../stores/stores-of-run.js';
import { waitedFor, waitTimeoutMs } from './waiting.js';

/** What a command fills its row with. */
export interface EndpointInput extends Filled {
  /** Values that are in no log and on no screen, such as a one-time code. */
  readonly secrets?: readonly string[];
}

/** Flags that some rows have and that are looked at here. */
export type EndpointFlags = GlobalFlags & {
  readonly wait?: boolean | undefined;
  readonly 'wait-timeout'?: string | undefined;
  readonly 'exit-status'?: boolean | undefined;
};

/** A command at work that stands for a row. */
export interface EndpointRun<F extends EndpointFlags = EndpointFlags> extends Run<F> {
  readonly row: EndpointId;
}

export type EndpointSession<F extends EndpointFlags = EndpointFlags> = EndpointRun<F> & SessionRun<F>;

/** Fills the row in. @throws Failure `usage` */
export type Fill = (run: SessionRun) => EndpointInput | Promise<EndpointInput>;

/** Sends the request of a row that is filled in. */
export type CallRow = (run: EndpointSession, input: EndpointInput) => Promise<Conversation>;

/** Calls the row of a command, from the session to the end. @throws Failure by the table of exit codes, Stopped */
export function callEndpoint(run: EndpointRun, fill: Fill, call: CallRow = callRow): Promise<void> {
  return withEndpoint(run, (open) => callOpen(open, fill, call));
}

/** Opens the session of a row's command. A duration that is none is refused before anything is sent. */
export async function withEndpoint<R extends EndpointRun>(
  run: R,
  steps: (run: R & SessionRun<R['flags']>) => Promise<void>,
): Promise<void> {
  waitTimeoutMs(run.flags);
  await withSession(run, steps);
}

/** The same over a session that is open. */
export async function callOpen(run: EndpointSession, fill: Fill, call: CallRow = callRow): Promise<void> {
  const input = await fill(run);
  run.session.redactor.add(input.secrets ?? []);
  const printer = await printerFor(run.ports, run.flags, run.row);
  const { error } = await present(run, await call(run, input), printer);
  if (error !== null) throw error;
}

/** Sends the request, and nothing else. */
export function callRow(
  { session, ports, row }: EndpointSession,
  input: EndpointInput,
): Promise<Conversation> {
  return session.client.call(row, input, { signal: ports.signal }).catch(usageOf);
}

/** Waits where that was asked for, prints the answer, and says what the command ends with. */
export async function present(
  run: SessionRun<EndpointFlags>,
  sent: Conversation,
  printer: Printer,
): Promise<Ending> {
  const { conversation, judge } = await waitedFor(sent, run);
  const conclusion = conclude(conversation, judge);
  const failure = conclusion.exitCode === 0 ? null : failureOf(conclusion, conversation, run);
  const { answer } = conclusion;
  const notPrinted = isData(conclusion) ? await printAnswer(answer, conversation, printer) : null;
  const { operation: seen } = conclusion;
  const isTold = printer.mode === 'table' && notPrinted === null && failure?.kind === 'operation_failed';
  const ending = endingOf(run.ports, conversation, isTold ? toldAbove(failure) : failure, notPrinted, seen);
  const isRead = sent.retry === 'safe' && waitTimeoutMs(run.flags) === null;
  if (seen !== null && sent.retry !== 'keyed') await noteStatus(run, seen, isRead);
  // What a read shows is looked at; what was just begun goes on.
  if (ending.error === null && answer !== null && printer.mode === 'table' && conversation.retry !== 'safe') {
    // They are a help: what was carried out ends no worse where they can't be told, or not even loaded.
    await import('./next-steps.js')
      .then(({ tellNextSteps }) => tellNextSteps(answer.body, run))
      .catch(() => undefined);
  }
  return ending;
}

/** The failure of an operation, behind a table that says why it failed. */
function toldAbove({ kind, facts }: Failure): Failure {
  return new Failure(
    kind,
    'The operation failed. This is final: to try again, create a new operation.',
    facts,
  );
}

/** The same for what a dialogue ended with: judged as it says. */
export const presentOver =
  (run: SessionRun<EndpointFlags>) =>
  (judged: object, conversation: Conversation, printer: Printer): Promise<Ending> =>
    present({ ...run, flags: { ...run.flags, ...judged } }, conversation, printer);

/** An operation in hand is data whatever it says; any other answer only where it is a success. */
function isData({ exitCode, operation, answer }: Conclusion): boolean {
  return answer !== null && (exitCode === 0 || operation !== null);
}

/**
 * The text of a flag that holds a secret: from standard input where it is `-`.
 * @throws Failure `usage` where it is missing or empty
 */
export async function secretText(
  flag: string,
  value: string | undefined,
  { input }: Pick<Ports, 'input'>,
): Promise<string> {
  if (value === undefined) throw new Failure('usage', `Give ${flag}. Nothing was sent.`);
  const text = value === '-' ? (await input.readAll(4096)).toString('utf8').trim() : value;
  if (text === '') throw new Failure('usage', `${flag} is empty. Nothing was sent.`);
  return text;
}

/** What no request may be built from is a usage error. */
export function usageOf(error: unknown): never {
  if (error instanceof InvalidRequest) throw new Failure('usage', error.message, { cause: error });
  throw error;
}
