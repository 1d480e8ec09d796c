/** `svc api`: a request written by hand, sent by the same rules as any other, its answer passed on byte for byte. */
import { answerOf } from '../client/attempt.js';
import type { Prepared } from '../client/preparation.js';
import { conclude } from '../client/conclusion.js';
import { Failure } from '../runtime/failure.js';
import type { GlobalFlags, House } from './base.js';
import { buildBody, pathAssignments } from './body.js';
import { failureOf } from './conclusion-failure.js';
import { readData, type DataFlags } from './data.js';
import { usageOf } from './endpoint-command.js';
import { sendKeyed } from './keyed.js';
import { printerOfAnything } from './printer.js';
import { openSession } from './session.js';

export type AnyRequestFlags = GlobalFlags &
  DataFlags & { readonly field?: string[] | undefined; readonly 'idempotency-key'?: string | undefined };

/** Sends it and prints what came back, whatever its status. @throws Failure by the table of exit codes */
export async function callAnything(
  house: House,
  { method, path }: { readonly method: string; readonly path: string },
  flags: AnyRequestFlags,
): Promise<void> {
  const { ports } = house;
  const isGet = /^(get|head)$/i.test(method);
  const data = await readData(flags, ports);
  if (isGet && data !== null)
    throw new Failure('usage', 'A GET takes no body: use -f for its query. Nothing was sent.');
  const hasBody = !isGet && (data !== null || flags.field !== undefined);
  const fields = pathAssignments('-f', [], isGet ? [] : flags.field);
  const input = {
    ...(isGet ? { query: queryOf(flags.field) } : {}),
    ...(hasBody ? { body: fields.length === 0 && data !== null ? data : buildBody(data, fields) } : {}),
  };
  const printer = await printerOfAnything(ports, {
    ...flags,
    ...(flags.jq === undefined ? { output: 'json' } : {}),
  });
  const session = await openSession(ports, flags);
  try {
    const prepared = prepare(() => session.client.prepareRaw(method, path, input, flags['idempotency-key']));
    const conversation =
      prepared.idempotencyKey === null
        ? await session.client.send(prepared, { signal: ports.signal })
        : await sendKeyed(session, ports, prepared);
    const answer = answerOf(conversation.attempts.at(-1));
    if (answer !== null && answer.body.length > 0) await printer.answer(answer.body);
    ports.signal.throwIfAborted();
    const conclusion = conclude(conversation);
    if (conclusion.exitCode !== 0) throw failureOf(conclusion, conversation, house, flags);
  } finally {
    await session.close();
  }
}

function prepare(build: () => Prepared): Prepared {
  try {
    return build();
  } catch (error) {
    return usageOf(error);
  }
}

function queryOf(fields: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    fields.map((field) => {
      const at = field.indexOf('=');
      if (at < 1) throw new Failure('usage', '-f takes NAME=VALUE. Nothing was sent.');
      return [field.slice(0, at), field.slice(at + 1)];
    }),
  );
}
