import { waitForOperation } from '../../client/wait.js';
import type { Conversation, SendOptions } from '../../client/client.js';
import type { RequestInput, PreparedRequest } from '../../client/request.js';
import type { Conclusion } from '../../client/conclusion.js';
import { failureReasonOf } from '../../client/explanation.js';
import type { EndpointId } from '../../contract/endpoints.js';
import { parseJson } from '../../contract/json.js';
import { moneyText } from '../../contract/money.js';
import { type Direction, isFinal } from '../../contract/operation.js';
import type { CallEffect, CallEnd, OperationView, ServicePort } from './dialogue.js';
import { Failure } from '../../runtime/failure.js';
import { answeredAtMs, type HttpAnswer } from '../../runtime/transport.js';
import { banksIn, keepAnsweredBanks, type CatalogSource } from '../../session/catalog.js';
import { assignment, type BodyDraft } from '../body-flags.js';
import { checkBody } from '../create/check-body.js';
import { finishCreate, sendCreate } from '../create/send.js';
import { admitCreate } from '../create/send-recorded.js';
import { type CallResult, concludeCall, nextCommand, type TypedLine } from '../../command/ending.js';
import type { SessionRun } from '../../command/command.js';
import type { CreateOptions } from '../create/prepared-create.js';

export interface PortOptions {
  readonly direction: Direction;
  readonly catalog: CatalogSource;
  readonly draft: BodyDraft;
  readonly firstIdempotencyKey: string | undefined;
  readonly createOptions: CreateOptions;
  readonly followMs: number;
  readonly abort: () => void;
}

export function servicePort(
  options: PortOptions,
  run: SessionRun,
): ServicePort & { readonly lastCall: () => CallResult | null; readonly failure: () => Failure | null } {
  const { catalog, direction } = options;
  const { session, ports } = run;
  const readEndpoint = `${direction}s.get` as const;
  const createEndpoint = `${direction}s.create` as const;
  const { signal } = ports;
  let lastCall: CallResult | null = null;
  let failure: Failure | null = null;
  let lastRequest: PreparedRequest | null = null;
  let idempotencyKey = options.firstIdempotencyKey;

  const keepCall = (result: CallResult): CallEnd => {
    const { conversation } = result;
    const key = lastCall?.conversation.idempotencyKey ?? null;
    lastCall =
      conversation.idempotencyKey === null ? concludeCall({ ...conversation, idempotencyKey: key }) : result;
    return callEndOf(result, run);
  };
  const keepIfMore = (result: CallResult): CallEnd => {
    const { operation } = result.conclusion;
    const isOutcomeUnknown = lastCall?.conclusion.exitCode === 12;
    const saysMore = operation !== null && !(isOutcomeUnknown && operation.code === 'awaiting_code');
    return lastCall === null || saysMore ? keepCall(result) : callEndOf(result, run);
  };
  const call = async (
    endpointId: EndpointId,
    input: RequestInput,
    sendOptions: SendOptions = {},
  ): Promise<CallResult> => {
    const preparedCall = session.client.prepare(endpointId, input);
    const permit = preparedCall.retry === 'safe' ? null : await session.guard.permit(preparedCall.request);
    return concludeCall(await session.client.send(preparedCall, { signal, permit, ...sendOptions }));
  };
  const send = async (request: PreparedRequest, createOptions: CreateOptions): Promise<CallEnd> => {
    await using journal = await run.app.openJournal();
    const create = await admitCreate({ run, prepared: request, options: createOptions }, journal);
    const end = await sendCreate(create);
    const { result } = end;
    lastRequest = result.conversation;
    if (result.conversation.attempts.at(-1)?.kind === 'refused') catalog.forget();
    const callEnd = keepCall(result);
    await finishCreate(end, Promise.resolve({ error: null, isShown: true, lastSeen: null }), create);
    return callEnd;
  };

  const callService = async (effect: CallEffect): Promise<CallEnd> => {
    switch (effect.type) {
      case 'create': {
        const assignments = Object.entries(effect.answers).flatMap(([path, value]) =>
          assignment('An answer', path, value),
        );
        const body = options.draft.assigned(assignments).build();
        const check = await checkBody(body, direction, catalog);
        if (check.kind === 'refused') throw check.refusal;
        const { bytes, members } = body;
        lastRequest = session.client.prepare(createEndpoint, { body: bytes, members }, idempotencyKey);
        const keySource = idempotencyKey === undefined ? 'payment' : 'caller';
        idempotencyKey = undefined;
        return send(lastRequest, { ...options.createOptions, keySource });
      }
      case 'repeat': {
        const repeatRequest = lastRequest;
        if (repeatRequest === null) throw new TypeError('nothing was sent that could be repeated');
        const keySource = repeatRequest.idempotencyKey === options.firstIdempotencyKey ? 'caller' : 'request';
        return send(repeatRequest, { ...options.createOptions, keySource });
      }
      case 'confirm': {
        const { id, code } = effect;
        session.redactor.add([code]);
        const readResult = await call(readEndpoint, { id }, { attemptsMax: 1 });
        const end = callEndOf(readResult, run);
        if (end.kind === 'operation') {
          const { status, pendingReason, codeValidMs } = end.operation;
          const awaitsCode = status === 'pending' && pendingReason === 'awaiting_code' && codeValidMs !== 0;
          if (!awaitsCode) return keepCall(readResult);
        }
        return keepCall(await call('payins.confirm', { id, body: Buffer.from(JSON.stringify({ code })) }));
      }
      case 'resend':
        return keepIfMore(await call('payins.resend', { id: effect.id }));
      case 'lookUp':
        return keepIfMore(await call(readEndpoint, { id: effect.id }));
      case 'follow': {
        const { id } = effect;
        const read = (timeoutMs: number): Promise<Conversation> =>
          session.client.call(readEndpoint, { id }, { attemptsMax: 1, timeoutMs, signal });
        const { clock } = ports;
        const { conversation } = await waitForOperation({ read, clock, timeoutMs: options.followMs, signal });
        return conversation === null
          ? { kind: 'later', text: 'It was not read.' }
          : keepIfMore(concludeCall(conversation));
      }
    }
  };

  return {
    lastCall: () => lastCall,
    failure: () => failure,
    abort: options.abort,
    banks: async (country, method) => {
      const input = { query: { country, method } };
      const conversation = await session.client.call('banks', input, { attemptsMax: 2, signal });
      keepAnsweredBanks(ports.paths, conversation, input.query);
      const success = conversation.attempts.findLast((attempt) => attempt.kind === 'success');
      return success === undefined ? null : banksIn(success.value);
    },
    call: async (effect) => {
      try {
        failure = null;
        return await callService(effect);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        failure = error;
        const text = error.message.replaceAll('\n', ' ');
        return { kind: 'refused', code: error.facts.code ?? error.kind, text };
      }
    },
    readCodeValidity: async (id) => {
      const end = callEndOf(await call(readEndpoint, { id }, { attemptsMax: 1 }), run);
      if (end.kind !== 'operation' || end.operation.codeValidMs === null) return null;
      return { codeExpiresAt: end.operation.codeExpiresAt, validMs: end.operation.codeValidMs };
    },
  };
}

function callEndOf({ conversation, conclusion }: CallResult, run: TypedLine): CallEnd {
  const { exitCode, error, operation } = conclusion;
  const details = (error?.details ?? []).map(({ field, code }) => `${field}: ${code}.`);
  const text = [error?.message ?? '', ...details].join(' ');
  if (exitCode === 12) return { kind: 'unknown', text };
  if (operation !== null) {
    const isRead = conversation.retry === 'safe' || conversation.lookup !== null;
    return { kind: 'operation', operation: operationViewOf(conclusion, isRead, run) };
  }
  if (exitCode === 10 || exitCode === 11) return { kind: 'later', text };
  return { kind: 'refused', code: error?.code ?? 'refused', text };
}

function operationViewOf({ operation, answer }: Conclusion, isRead: boolean, run: TypedLine): OperationView {
  const members = answer === null ? {} : (parseJson(answer.body) as Readonly<Record<string, unknown>>);
  const textOf = (name: string): string | null => {
    const member = members[name];
    return typeof member === 'string' ? member : null;
  };
  const { id = '', status = '', code = null } = operation ?? {};
  const command = nextCommand({ kind: 'confirm', id }, run) ?? '';
  return {
    id,
    status,
    pendingReason: isFinal(status) ? null : code,
    amount: moneyText(operation ?? {}),
    codeExpiresAt: textOf('code_expires_at'),
    codeValidMs: codeValidMsOf(textOf('code_expires_at'), textOf('updated_at'), isRead ? answer : null),
    bankReference: operation?.bankReference ?? null,
    failure: operation?.status === 'failed' ? failureReasonOf(operation) : null,
    resumeCommand: command,
  };
}

/** Only times of the service are used, because the clock of this machine may be wrong. */
function codeValidMsOf(expiresAt: string | null, updatedAt: string | null, readAnswer: HttpAnswer | null) {
  const expiresAtMs = Date.parse(expiresAt ?? '');
  const validityMs = expiresAtMs - Date.parse(updatedAt ?? '');
  if (!(validityMs >= 0)) return null;
  const nowMs = readAnswer === null ? null : answeredAtMs(readAnswer);
  return nowMs === null ? validityMs : Math.max(0, Math.min(validityMs, expiresAtMs - nowMs));
}
