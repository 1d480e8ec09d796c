import { answerOf } from '../../contract/attempt.js';
import type { PreparedRequest } from '../../client/request.js';
import { usageFailure } from '../../runtime/failure.js';
import type { Texts } from '../../command/line/flags.js';
import { type GlobalFlags, type Run, inSession } from '../../command/command.js';
import {
  BodyDraft,
  pathAssignments,
  type DataFlags,
  dataName,
  readData,
  requireNamesOnce,
} from '../body-flags.js';
import {
  type Ending,
  endingOf,
  failureOf,
  printAnswer,
  type CallResult,
  concludeCall,
} from '../../command/ending.js';
import { confirmPrepared } from '../confirm.js';
import { throwUsage } from '../../command/call.js';
import { checkBeforeQuestion, finishCreate, sendCreate } from '../create/send.js';
import { admitCreate, judgeCreate } from '../create/send-recorded.js';
import { requireContract } from '../create/check-body.js';
import { type Printer, printerOfAnything } from '../../command/printer.js';
import { createOptions } from '../create/prepared-create.js';

export type AnyRequestFlags = GlobalFlags &
  DataFlags &
  Texts<'idempotency-key' | 'new-payment'> & { readonly field?: string[] | undefined };

export async function callAnything(
  run: Run<AnyRequestFlags>,
  { method: typedMethod, path }: { readonly method: string | null; readonly path: string },
): Promise<void> {
  const { ports, flags } = run;
  const method = typedMethod ?? 'GET';
  const isGet = /^(get|head)$/i.test(method);
  const data = await readData(flags, ports);
  if (isGet && data !== null) {
    const remedy =
      typedMethod === null ? 'Name the method before the path, such as POST' : 'Use -f for its query';
    throw usageFailure(`A GET has no body. ${remedy}.`);
  }
  const assignments = pathAssignments('-f', [], isGet ? [] : flags.field);
  const query = isGet ? queryOf(flags.field) : {};
  const dataSource = dataName(flags);
  const bytesPrinter: Pick<Printer, 'answer'> = { answer: (body) => ports.output.write(body) };
  const printerFlags = flags.jq === undefined ? { ...flags, output: 'json' } : flags;
  const isFormatted = flags.jq !== undefined || ports.output.isTTY;
  const printer = isFormatted ? await printerOfAnything(ports, printerFlags) : bytesPrinter;
  const sessionRun = await inSession(run);
  const { client, guard } = sessionRun.session;
  const prepareWithBody = (body: Uint8Array | undefined): PreparedRequest => {
    try {
      return client.prepareRaw(method, path, { query, body }, flags['idempotency-key']);
    } catch (error) {
      return throwUsage(error);
    }
  };
  const draftRequest = prepareWithBody(data ?? undefined);
  const isRead = draftRequest.retry === 'safe';
  if (!isRead) await guard.judgeDraft(draftRequest.request);
  const prepared =
    assignments.length === 0
      ? draftRequest
      : prepareWithBody(BodyDraft.of(data, dataSource).assigned(assignments).build().bytes);
  const { request, endpointId } = prepared;
  // Each number of 4 to 10 digits is redacted, because it may be the one-time code.
  if (endpointId === 'payins.confirm')
    ports.redact.add(
      Buffer.from(request.body ?? [])
        .toString('utf8')
        .match(/[0-9]{4,10}/g) ?? [],
    );
  const present = (result: CallResult): Promise<Ending> => presentAnything(result, run, printer);
  if (prepared.retry === 'keyed') {
    const preparedCreate = { run: sessionRun, prepared, options: await createOptions(flags, sessionRun) };
    if (await guard.hasRules()) {
      await using journal = await run.app.openJournal();
      await judgeCreate(preparedCreate, journal);
    }
    const direction = endpointId === 'payins.create' ? 'payin' : 'payout';
    await requireContract(BodyDraft.of(request.body, dataSource).build(), direction);
    const checkedCreate = await checkBeforeQuestion(preparedCreate);
    await confirmPrepared(sessionRun, prepared);
    await using journal = await run.app.openJournal();
    const create = await admitCreate(checkedCreate, journal);
    const end = await sendCreate(create);
    await finishCreate(end, present(end.result), create);
    return;
  }
  if (!isRead) await guard.judge(request);
  if (request.body !== null) requireNamesOnce(request.body, dataSource);
  await confirmPrepared(sessionRun, prepared);
  const permit = isRead ? null : await guard.permit(request);
  const { error } = await present(
    concludeCall(await client.send(prepared, { signal: ports.signal, permit })),
  );
  if (error !== null) throw error;
}

async function presentAnything(
  result: CallResult,
  run: Run<AnyRequestFlags>,
  printer: Pick<Printer, 'answer'>,
): Promise<Ending> {
  const { conversation, conclusion } = result;
  const answer = answerOf(conversation.attempts.at(-1));
  const failure = conclusion.exitCode === 0 ? null : failureOf(result, run);
  const hasBody = answer !== null && answer.body.length > 0;
  const printError = hasBody ? await printAnswer(answer, conversation, printer) : null;
  return endingOf(run.ports, conversation, { failure, printError });
}

function queryOf(fields: readonly string[] = []): Record<string, string> {
  const query: Record<string, string> = {};
  for (const field of fields) {
    const at = field.indexOf('=');
    if (at < 1) throw usageFailure('Give -f as NAME=VALUE.');
    const name = field.slice(0, at);
    if (Object.hasOwn(query, name)) throw usageFailure(`-f sets ${name} twice: keep one.`);
    query[name] = field.slice(at + 1);
  }
  return query;
}
