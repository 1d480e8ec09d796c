import type { Conversation } from '../client/client.js';
import { conclude } from '../client/conclusion.js';
import { InvalidRequest, type RequestInput } from '../client/request.js';
import { endpoint, type EndpointId } from '../contract/endpoints.js';
import { cleanCode, isCode, isUuid } from '../contract/notation.js';
import { isNotFound } from '../contract/attempt.js';
import { GONE, isFinal } from '../contract/operation.js';
import type { OperationFacts } from '../contract/operation-facts.js';
import { escapeText } from '../output/escape.js';
import { chooseMode } from '../output/mode.js';
import { Failure, usageFailure } from '../runtime/failure.js';
import type { Ports } from '../runtime/ports.js';
import { type GlobalFlags, type Run, inSession, type SessionRun } from './command.js';
import { durationMs } from '../runtime/typed-time.js';
import { lineReplacer, mayRepaint } from './line/terminal.js';
import { type Printer, printerFor } from './printer.js';
import { isSameSender, senderOf } from '../session/address.js';
import { type Ending, endingOf, failureOf, printAnswer, type CallResult, concludeCall } from './ending.js';

export interface EndpointInput extends RequestInput {
  readonly secrets?: readonly string[];
}

export type EndpointFlags = GlobalFlags & {
  readonly wait?: boolean | undefined;
  readonly 'wait-timeout'?: string | undefined;
  readonly 'exit-status'?: boolean | undefined;
};

export interface EndpointRun<F extends EndpointFlags = EndpointFlags> extends Run<F> {
  readonly endpointId: EndpointId;
}

export type EndpointSession<F extends EndpointFlags = EndpointFlags> = EndpointRun<F> & SessionRun<F>;

export type FillInput = (run: SessionRun) => EndpointInput | Promise<EndpointInput>;

export type SendCall = (run: EndpointSession, input: EndpointInput) => Promise<Conversation>;

export async function callEndpoint(
  run: EndpointRun,
  fill: FillInput,
  call: SendCall = sendCall,
): Promise<void> {
  await callOpen(await openEndpoint(run), fill, call);
}

/** `--wait-timeout` is checked first, because a typo must not send a payment. */
export function openEndpoint<R extends EndpointRun>(run: R): Promise<R & SessionRun<R['flags']>> {
  waitTimeoutMs(run.flags);
  return inSession(run);
}

export async function callOpen(
  run: EndpointSession,
  fill: FillInput,
  call: SendCall = sendCall,
): Promise<void> {
  const input = await fill(run);
  run.session.redactor.add(input.secrets ?? []);
  await judgeCall(run, input);
  const printer = await printerFor(run.ports, run.flags, run.endpointId);
  const result = concludeCall(await call(run, input));
  const { error } = await printResult(run, result, printer);
  if (input.id !== undefined && result.conversation.attempts.some(isNotFound)) await noteGone(input.id, run);
  if (error !== null) throw error;
}

/** A `Failure` is ignored, because the command already has its answer. */
async function noteGone(id: string, run: EndpointSession): Promise<void> {
  try {
    const stores = await run.app.stores();
    if (!stores.has('journal')) return;
    await using journal = await stores.openJournal();
    const sender = await senderOf(run.session, run.ports, journal.keySalt);
    const requests = await journal.withOperations([id]);
    if (requests.some((request) => isSameSender(request, sender))) await journal.noteStatus(id, GONE);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}

async function noteStatus(
  { app, ports }: Run,
  { id, status }: Pick<OperationFacts, 'id' | 'status'>,
  isRead: boolean,
): Promise<void> {
  if (!isFinal(status)) return;
  try {
    let stores = await app.stores();
    if (stores.where.isShared) {
      if (isRead) return;
    } else {
      stores = (await import('../storage/file-stores.js')).fileStores(ports);
      if (!stores.has('journal')) return;
    }
    await using journal = await stores.openJournal();
    await journal.noteStatus(id, status);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}

export async function judgeCall(run: EndpointSession, input: EndpointInput): Promise<void> {
  if (endpoint(run.endpointId).retry !== 'safe')
    await run.session.guard.judge(prepareCall(run, input).request);
}

export async function sendCall(run: EndpointSession, input: EndpointInput): Promise<Conversation> {
  const { client, guard } = run.session;
  const { signal } = run.ports;
  const preparedCall = prepareCall(run, input);
  const permit = preparedCall.retry === 'safe' ? null : await guard.permit(preparedCall.request);
  return client.send(preparedCall, { signal, permit });
}

function prepareCall({ session: { client }, endpointId }: EndpointSession, input: EndpointInput) {
  try {
    return client.prepare(endpointId, input);
  } catch (error) {
    return throwUsage(error);
  }
}

export async function printResult(
  run: SessionRun<EndpointFlags>,
  callResult: CallResult,
  printer: Printer,
): Promise<Ending> {
  const { retry } = callResult.conversation;
  const finalResult = await waitIfAsked(callResult, run);
  const { conversation, conclusion } = finalResult;
  const failure = conclusion.exitCode === 0 ? null : failureOf(finalResult, run);
  const { answer, operation: lastSeen } = conclusion;
  const isPrinted = answer !== null && (conclusion.exitCode === 0 || lastSeen !== null);
  const printError = isPrinted ? await printAnswer(answer, conversation, printer) : null;
  const isExplained = printer.mode === 'table' && printError === null && failure?.kind === 'operation_failed';
  const text = 'The operation failed. This is final: to try again, create a new operation.';
  const shownFailure = isExplained ? new Failure(failure.kind, text, failure.facts) : failure;
  const ending = endingOf(run.ports, conversation, { failure: shownFailure, printError, lastSeen });
  const isReadOnly = retry === 'safe' && waitTimeoutMs(run.flags) === null;
  if (lastSeen !== null && retry !== 'keyed') await noteStatus(run, lastSeen, isReadOnly);
  if (ending.error === null && answer !== null && printer.mode === 'table' && conversation.retry !== 'safe') {
    // An error here is ignored, because the request was carried out.
    await import('./next-steps.js')
      .then(({ tellNextSteps }) => tellNextSteps(answer.body, run))
      .catch(() => undefined);
  }
  return ending;
}

/** An impossible code is refused, because a wrong code would end the pay-in. */
export async function readCode(value: string | undefined, { input }: Pick<Ports, 'input'>): Promise<string> {
  if (value === undefined) throw usageFailure('Give --code.');
  const code = cleanCode(value === '-' ? (await input.readAll(4096)).toString('utf8') : value);
  if (isCode(code)) return code;
  throw usageFailure('--code must be 4 to 10 letters or digits.');
}

export function throwUsage(error: unknown): never {
  if (error instanceof InvalidRequest) throw new Failure('usage', error.message, { cause: error });
  throw error;
}

async function waitIfAsked(
  callResult: CallResult,
  { session, ports, flags }: SessionRun<EndpointFlags>,
): Promise<CallResult> {
  const { conversation } = callResult;
  const byStatus = (lastConversation: Conversation) => ({
    conversation: lastConversation,
    conclusion: conclude(lastConversation, 'status'),
  });
  const timeoutMs = waitTimeoutMs(flags);
  if (timeoutMs === null) return flags['exit-status'] === true ? byStatus(conversation) : callResult;
  const { operation, exitCode } = callResult.conclusion;
  if (operation === null || exitCode === 12) return byStatus(conversation);
  if (!isUuid(operation.id)) {
    await session.note('svc cannot wait for this operation: the id from the service is not a uuid.');
    return byStatus(conversation);
  }
  const { waitForOperation } = await import('../client/wait.js');
  const progress = waitingProgress(ports, flags);
  const [noun] = conversation.endpointId?.split('.') ?? [];
  const lookup = noun === 'payins' || noun === 'payouts' ? (`${noun}.get` as const) : 'transactions.get';
  const { clock, signal } = ports;
  const readAgain = (askTimeoutMs: number): Promise<Conversation> =>
    session.client.call(lookup, { id: operation.id }, { attemptsMax: 1, timeoutMs: askTimeoutMs, signal });
  const waitOptions = { read: readAgain, clock, timeoutMs, operation, signal, onRead: progress.show };
  const waitResult = await waitForOperation(waitOptions).finally(progress.clear);
  // The first answer counts, because a refused read says nothing about the create or confirm before it.
  if (waitResult.end === 'refused' && conversation.retry !== 'safe' && waitResult.conversation !== null) {
    const { error } = conclude(waitResult.conversation);
    await session.note(
      `svc could not read the operation again: ${error?.message ?? 'the service refused it.'}`,
    );
    const result = byStatus(conversation);
    if (conversation.retry !== 'keyed' || !waitResult.conversation.attempts.some(isNotFound)) return result;
    return { ...result, conclusion: { ...result.conclusion, next: { kind: 'same', key: null } } };
  }
  // The key of the create is kept, because a read has no idempotency key.
  const { idempotencyKey } = conversation;
  return byStatus({ ...(waitResult.conversation ?? conversation), idempotencyKey });
}

export function waitTimeoutMs(flags: EndpointFlags): number | null {
  const timeout = flags['wait-timeout'];
  if (flags.wait !== true && timeout === undefined) return null;
  return durationMs(timeout ?? '10m', '--wait-timeout');
}

function waitingProgress(
  { errors, clock, env, output }: Ports,
  flags: Pick<GlobalFlags, 'quiet' | 'output' | 'json' | 'jq'>,
) {
  const isVisible = !flags.quiet && mayRepaint({ errors, env });
  const startedMs = clock.monotonic();
  const paint = lineReplacer(errors);
  let isShown = false;
  return {
    show: (operation: OperationFacts | null): void => {
      if (!isVisible) return;
      isShown = true;
      const seconds = Math.round((clock.monotonic() - startedMs) / 1000);
      const { status, code } = operation ?? { status: 'no answer, asking again', code: null };
      const statusText = code === null || isFinal(status) ? status : `${status} (${code})`;
      void errors.write(paint(`Waiting, ${String(seconds)} s: ${escapeText(statusText)}`));
    },
    clear: async (): Promise<void> => {
      if (!isShown) return;
      const isTable = chooseMode(flags, env['SVC_OUTPUT'], output.isTTY, 'single') === 'table';
      await errors.write(`${paint('')}${isTable ? '' : '\n'}`);
    },
  };
}
