/** The calls that the dialogue makes, through session and journal. Keeps the call or failure that the command ends with. */
import { waitForOperation } from '../../client/wait.js';
import type { Conversation, SendOptions } from '../../client/client.js';
import type { RequestInput, PreparedRequest } from '../../client/request.js';
import type { Conclusion } from '../../client/conclusion.js';
import { whyFailed } from '../../client/explanation.js';
import type { EndpointId } from '../../contract/endpoints.js';
import { parseJson } from '../../contract/json.js';
import { type Direction, isFinal } from '../../contract/operation.js';
import type { CallEnd, OperationView, ServicePort } from '../../prompt/port.js';
import { Failure } from '../../runtime/failure.js';
import { answeredAtMs, type HttpAnswer } from '../../runtime/transport.js';
import { banksIn, keepAnsweredBanks, type CatalogSource } from '../session/catalog.js';
import type { BodyDraft } from '../line/body.js';
import { checkBody } from '../create/body-check.js';
import { sendCreate } from '../create/keyed.js';
import type { CreateOptions } from '../create/sending.js';
import { type CallResult, concludeCall, nextCommand, type TypedLine } from '../call/ending.js';
import type { SessionRun } from '../session/session.js';

export interface PortOptions {
  readonly direction: Direction;
  readonly catalog: CatalogSource;
  /** The body from flags and data; empty for an existing pay-in. */
  readonly draft: BodyDraft;
  /** The key for the first create only: a later create is another request. */
  readonly idempotencyKey: string | undefined;
  readonly keyed: CreateOptions;
  /** How long one wait for the bank's answer lasts. */
  readonly followMs: number;
  readonly abort: () => void;
}

/** Makes the dialogue's port to the service. Its calls return failures as ends; they reject only for a defect. */
export function servicePort(
  options: PortOptions,
  run: SessionRun,
): ServicePort & { readonly last: () => CallResult | null; readonly failure: () => Failure | null } {
  const { catalog, direction } = options;
  const { session, ports } = run;
  const read = direction === 'payin' ? 'payins.get' : 'payouts.get';
  const create = direction === 'payin' ? 'payins.create' : 'payouts.create';
  const { signal } = ports;
  let last: CallResult | null = null;
  let failure: Failure | null = null;
  let prepared: PreparedRequest | null = null;
  let { idempotencyKey } = options;

  const guarded = async (work: () => Promise<CallEnd>): Promise<CallEnd> => {
    try {
      failure = null;
      return await work();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failure = error;
      const text = error.message.replaceAll('\n', ' ');
      return { kind: 'refused', code: error.facts.code ?? error.kind, text };
    }
  };
  const keep = (sent: CallResult): CallEnd => {
    const { conversation } = sent;
    const key = last?.conversation.idempotencyKey ?? null;
    last =
      conversation.idempotencyKey === null ? concludeCall({ ...conversation, idempotencyKey: key }) : sent;
    return callEndOf(sent, run);
  };
  /** Keeps a read or resend as the last call only if it shows more than the call before. */
  const keepKnown = (sent: CallResult): CallEnd => {
    const { operation } = sent.conclusion;
    const isOpen = last?.conclusion.exitCode === 12;
    const saysMore = operation !== null && !(isOpen && operation.code === 'awaiting_code');
    return last === null || saysMore ? keep(sent) : callEndOf(sent, run);
  };
  const call = async (row: EndpointId, input: RequestInput, how: SendOptions = {}): Promise<CallResult> => {
    const preparedCall = session.client.prepare(row, input);
    const permit = preparedCall.retry === 'safe' ? null : await session.guard.permit(preparedCall.request);
    return concludeCall(await session.client.send(preparedCall, { signal, permit, ...how }));
  };
  const send = async (request: PreparedRequest, keyed: CreateOptions): Promise<CallEnd> => {
    const ends: CallEnd[] = [];
    await sendCreate({ run, prepared: request, options: keyed }, (sent) => {
      prepared = sent.conversation;
      if (sent.conversation.attempts.at(-1)?.kind === 'refused') catalog.forget();
      ends.push(keep(sent));
      return Promise.resolve({ error: null, isShown: true, seen: null });
    });
    return ends[0] ?? { kind: 'refused', code: 'not_sent', text: 'Nothing was sent.' };
  };

  return {
    last: () => last,
    failure: () => failure,
    abort: options.abort,
    banks: async (country, method) => {
      const input = { query: { country, method } };
      const conversation = await session.client.call('banks', input, { attemptsMax: 2, signal });
      keepAnsweredBanks(ports.paths, conversation, input.query);
      const success = conversation.attempts.findLast((attempt) => attempt.kind === 'success');
      return success === undefined ? null : banksIn(success.value);
    },
    create: (answers) =>
      guarded(async () => {
        const assignments = Object.entries(answers).map(([path, value]) => ({
          ...{ path: path.split('.'), flag: 'An answer' },
          json: JSON.stringify(value),
        }));
        const body = options.draft.assigned(assignments).build();
        const checked = await checkBody(body, direction, catalog);
        if (checked.kind === 'refused') throw checked.refusal;
        const { bytes, members } = body;
        prepared = session.client.prepare(create, { body: bytes, members }, idempotencyKey);
        const keyOf = idempotencyKey === undefined ? 'payment' : 'caller';
        idempotencyKey = undefined;
        return send(prepared, { ...options.keyed, keyOf });
      }),
    repeat: () =>
      guarded(async () => {
        const repeatRequest = prepared;
        if (repeatRequest === null) throw new TypeError('nothing was sent that could be repeated');
        const keyOf = repeatRequest.idempotencyKey === options.idempotencyKey ? 'caller' : 'request';
        return send(repeatRequest, { ...options.keyed, keyOf });
      }),
    confirm: (id, code) =>
      guarded(async () => {
        session.redactor.add([code]);
        const readResult = await call(read, { id }, { attemptsMax: 1 });
        const end = callEndOf(readResult, run);
        if (end.kind === 'operation') {
          const { status, pendingReason, codeValidMs } = end.operation;
          const awaitsCode = status === 'pending' && pendingReason === 'awaiting_code' && codeValidMs !== 0;
          // The pay-in takes no code any more, so none is sent. (After a failed read the code is sent.)
          if (!awaitsCode) return keep(readResult);
        }
        const body = Buffer.from(JSON.stringify({ code }));
        return keep(await call('payins.confirm', { id, body }));
      }),
    resend: (id) => guarded(async () => keepKnown(await call('payins.resend', { id }))),
    codeLeft: async (id) => {
      const end = callEndOf(await call(read, { id }, { attemptsMax: 1 }), run);
      if (end.kind !== 'operation' || end.operation.codeValidMs === null) return null;
      return { of: end.operation.codeExpiresAt, leftMs: end.operation.codeValidMs };
    },
    lookUp: (id) => guarded(async () => keepKnown(await call(read, { id }))),
    follow: (id) =>
      guarded(async () => {
        const ask = (timeoutMs: number): Promise<Conversation> =>
          session.client.call(read, { id }, { attemptsMax: 1, timeoutMs, signal });
        const { clock } = ports;
        const waited = await waitForOperation({ read: ask, clock, timeoutMs: options.followMs, signal });
        return waited.conversation === null
          ? { kind: 'later', text: 'It was not read.' }
          : keepKnown(concludeCall(waited.conversation));
      }),
  };
}

/** Returns how a call ended. Its operation counts only if the outcome is known. */
function callEndOf({ conversation, conclusion }: CallResult, run: TypedLine): CallEnd {
  const { exitCode, error, operation } = conclusion;
  const text = [
    error?.message ?? '',
    ...(error?.details ?? []).map(({ field, code }) => `${field}: ${code}.`),
  ];
  if (exitCode === 12) return { kind: 'unknown', text: text.join(' ') };
  if (operation !== null) {
    const isRead = conversation.retry === 'safe' || conversation.lookup !== null;
    return { kind: 'operation', operation: seenOperationOf(conclusion, isRead, run) };
  }
  if (exitCode === 10 || exitCode === 11) return { kind: 'later', text: text.join(' ') };
  return { kind: 'refused', code: error?.code ?? 'refused', text: text.join(' ') };
}

function seenOperationOf({ operation, answer }: Conclusion, isRead: boolean, run: TypedLine): OperationView {
  const value = answer === null ? {} : (parseJson(answer.body) as Readonly<Record<string, unknown>>);
  const textOf = (name: string): string | null => {
    const member = value[name];
    return typeof member === 'string' ? member : null;
  };
  const { id = '', status = '', code = null } = operation ?? {};
  const command = nextCommand({ kind: 'confirm', id }, run) ?? '';
  return {
    id,
    status,
    pendingReason: isFinal(status) ? null : code,
    amount: `${operation?.amount ?? ''} ${operation?.currency ?? ''}`.trim(),
    codeExpiresAt: textOf('code_expires_at'),
    codeValidMs: codeValidMsOf(textOf('code_expires_at'), textOf('updated_at'), isRead ? answer : null),
    bankReference: operation?.bankReference ?? null,
    failure: operation?.status === 'failed' ? whyFailed(operation) : null,
    resumeCommand: command,
  };
}

/**
 * Returns how long a code is still valid, by the service's clocks alone, because this machine's may be wrong. The `Date` of a read says how
 * much time is over; the result never exceeds the code's whole validity.
 */
function codeValidMsOf(expiresAt: string | null, updatedAt: string | null, read: HttpAnswer | null) {
  const endsMs = Date.parse(expiresAt ?? '');
  const wholeMs = endsMs - Date.parse(updatedAt ?? '');
  if (!(wholeMs >= 0)) return null;
  const nowMs = read === null ? null : answeredAtMs(read);
  return nowMs === null ? wholeMs : Math.max(0, Math.min(wholeMs, endsMs - nowMs));
}
