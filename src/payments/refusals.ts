import { type Age, unsureMembers, unsureText } from '../contract/moment.js';
import type { Obstacle } from '../storage/journal/precedence.js';
import type { JournalRequest, RequestSubject } from '../storage/journal/request.js';
import { isoSeconds } from '../runtime/clock.js';
import { Failure, type FailureDetail, type FailureFacts } from '../runtime/failure.js';
import { flagWords, svcLine, commandLine } from '../runtime/shell.js';
import { nextCommand, type TypedLine } from '../command/ending.js';
import { type Where, whereFlags, whereFlagsIn, whereIn } from '../session/place-flags.js';
import type { Session } from '../session/session.js';
import { isFinal, CONTRADICTED, GONE } from '../contract/operation.js';
import { isOneOf, PAID_STATES } from '../storage/batches/row-state.js';
import { type Evidence, RECORDED, type KnownPayment } from './known/payments.js';
import { jsonIn } from '../contract/json.js';
import { isObject } from '../contract/shape.js';
import { accountTail } from '../contract/marks.js';
import type { Conclusion } from '../client/conclusion.js';
import type { SessionRun } from '../command/command.js';
import { matchesPayment } from '../contract/operation-facts.js';
import { withFlags, withoutFlags } from '../command/line/typed-words.js';

export function requestGoneFailure({ flags }: Pick<TypedLine, 'flags'> = { flags: {} }): Failure {
  const listCommand = svcLine('requests list', whereFlags(flags));
  return new Failure(
    'not_found',
    'No request with this key waits for an answer: svc knows its outcome, or this machine never sent it.',
    { nextCommand: listCommand },
  );
}

export function absentFailure(requests: readonly JournalRequest[], run: TypedLine): Failure {
  const forgottenRequest = requests.find(({ state }) => state === 'forgotten');
  if (forgottenRequest !== undefined) {
    const { environment, firstLeftMs, idempotencyKey } = forgottenRequest;
    const requestPlace = { flags: whereIn(environment, run.flags, true) };
    return new Failure(
      'not_found',
      `A request with this key was sent at ${isoSeconds(firstLeftMs)}. Its outcome was never known, and somebody removed it: it may have paid. ` +
        `Nothing was sent now. Look for its reference in ${eventsLine(requestPlace)}. ${decideText(idempotencyKey, requestPlace)}.`,
      { code: 'forgotten', outcome: 'unknown', idempotencyKey },
    );
  }
  const request = requests.findLast(({ settled }) => settled !== null);
  if (request === undefined || request.settled === null) return requestGoneFailure(run);
  const { operation, status } = request.settled;
  return new Failure(
    'not_found',
    `The request with this key has an answer: it made operation ${operation}, which was ${status} when last seen. Nothing was sent.`,
    { nextCommand: svcLine('transactions get', whereFlagsIn(request.environment, run.flags), [operation]) },
  );
}

export function tooOldFailure(
  { firstLeftMs, idempotencyKey }: JournalRequest,
  age: Age,
  run: TypedLine,
): Failure {
  const facts = { outcome: 'unknown', idempotencyKey } as const;
  const head = `A request with this key was sent at ${isoSeconds(firstLeftMs)}. Its outcome is not known.`;
  const lookText = `Nothing was sent. Look for its reference in ${eventsLine(run)}.`;
  if (age.kind === 'known')
    return new Failure(
      'unsafe',
      `${head} After 23 hours the service may have forgotten its key, so it could pay twice. ${lookText} ${decideText(idempotencyKey, run)}.`,
      { ...facts, code: 'too_old' },
    );
  const details = unsureMembers(age).map(({ clock, then, now }) => ({
    ...{ field: 'left_at', code: age.kind },
    extraMembers: { clock, then, now },
  }));
  return new Failure(
    'unsafe',
    `${head} ${unsureText(age)} Sent again too late, it could pay twice. ${lookText} Run this again when the clocks agree ("svc doctor").`,
    { ...facts, code: age.kind, details: details.length === 0 ? undefined : details, retryable: true },
  );
}

export function eventsLine({ flags }: Pick<TypedLine, 'flags'>): string {
  return `"${svcLine('events list', ['--all', ...whereFlags({ ...flags, 'state-url': undefined })])}"`;
}

export function listLine(reference: string, flags: Where): string {
  return svcLine('operations list', [...flagWords('--reference', reference), ...whereFlags(flags)]);
}

export function resolveLine(
  key: string,
  { flags }: Pick<TypedLine, 'flags'>,
  words: readonly string[] = ['--operation', 'ID'],
): string {
  return svcLine('requests resolve', [...words, ...whereFlags(flags)], ['--', key]);
}

export function decideText(key: string, run: Pick<TypedLine, 'flags'>): string {
  return `Then record the outcome: ${resolveLine(key, run)}, or --not-paid instead of --operation ID`;
}

export function obstacleFailure(
  obstacle: Exclude<Obstacle, { kind: 'settled' | 'key_used' }>,
  run: TypedLine,
): Failure {
  const { kind, request } = obstacle;
  const { idempotencyKey, firstLeftMs } = request;
  const sentAt = isoSeconds(firstLeftMs);
  const repeatLine = nextCommand({ kind: 'repeat', key: idempotencyKey }, run) ?? undefined;
  const outcome = kind === 'under_way' ? 'not_sent' : 'unknown';
  const unsafeFailure = (code: string, text: string, nextCommandLine?: string): Failure =>
    new Failure('unsafe', text, { code, outcome, idempotencyKey, nextCommand: nextCommandLine });
  switch (kind) {
    case 'too_old':
      return tooOldFailure(request, obstacle.age, run);
    case 'replaced':
      return unsafeFailure(
        'too_old',
        `A request with this key was sent at ${sentAt}. Its outcome is not known, and you made another payment instead. svc does not ` +
          `send it again. Nothing was sent. Look for its reference in ${eventsLine(run)}. ${decideText(idempotencyKey, run)}.`,
      );
    case 'under_way': {
      const { by, underWayUntilMs: untilMs = null } = request.lastSending ?? {};
      const untilText = untilMs === null ? '' : `, until ${isoSeconds(untilMs)} at the latest`;
      const whereText = by === undefined ? '' : ` on ${by}${untilText}`;
      return unsafeFailure(
        'reference_open',
        `Another command is working on the same payment${whereText} and may be sending it now. Nothing was sent. ` +
          'Try again in a moment.',
      );
    }
    case 'other_sender':
      return unsafeFailure(
        'reference_open',
        `A request with this key was sent at ${sentAt} with another API key or to another address. Its outcome is not known. Nothing was ` +
          'sent now. Repeat it to see whether both belong to the same company.',
        repeatLine,
      );
  }
}

export function otherEnvironmentFailure(
  { environment, idempotencyKey }: JournalRequest,
  { session, flags }: { readonly session: Pick<Session, 'environment'>; readonly flags: Where },
  line = svcLine('requests repeat', whereFlagsIn(environment, flags), ['--', idempotencyKey]),
): Failure {
  return new Failure(
    'unsafe',
    `This request was sent to the ${environment} environment, but this command uses ${session.environment}. Nothing was sent.`,
    {
      ...{ code: 'other_place', outcome: 'unknown', idempotencyKey, nextCommand: line },
      advice: [`Type there: ${line}`],
    },
  );
}

export function otherCompanyFailure({ idempotencyKey }: JournalRequest): Failure {
  return new Failure(
    'unsafe',
    'This request is of another company: this API key does not see its operations. Nothing was sent. Repeat it with a key of ' +
      'that company.',
    { code: 'other_company', outcome: 'unknown', idempotencyKey },
  );
}

export function unknownCompanyFailure({ idempotencyKey, keyMask, address }: JournalRequest): Failure {
  return new Failure(
    'unsafe',
    `This request was sent with ${keyMask} to ${address}. svc cannot tell whether this API key belongs to the same company. Nothing was ` +
      'sent. If you know that it does, add --same-company.',
    { code: 'company_unknown', outcome: 'unknown', idempotencyKey },
  );
}

export function twoRequestsFailure({ idempotencyKey }: JournalRequest): Failure {
  return new Failure(
    'unsafe',
    'Two different requests with this key have no answer. Only one of them can have paid. Nothing was sent. Look for ' +
      'their references in "svc events list --all". Then remove both with "svc requests forget".',
    { code: 'two_requests', outcome: 'unknown', idempotencyKey },
  );
}

export function refusePending(
  { rows }: Evidence,
  goneOperation: string | null,
  followCommand: (batch: string) => string,
): void {
  const row = rows.find(
    ({ operation, state, status }) =>
      operation === goneOperation && isOneOf(PAID_STATES, state) && !isFinal(status ?? 'confirmed'),
  );
  if (row === undefined) return;
  const nextCommand = followCommand(row.batch);
  const text = `Batch ${row.batch} waits for operation ${goneOperation}. Nothing was changed. Follow it there first: ${nextCommand}`;
  throw new Failure('unsafe', text, { code: 'reference_pending', outcome: 'not_sent', nextCommand });
}

export interface RefusedCreate extends TypedLine {
  readonly subject: Pick<
    RequestSubject,
    'direction' | 'amount' | 'currency' | 'accountTail' | 'referenceMark' | 'twinMark'
  >;
  readonly reference?: string | null;
  readonly droppedFlags: readonly string[] | null;
}

export function knownPaymentFailure(newest: KnownPayment, refused: RefusedCreate): Failure {
  const code = codeOf(newest);
  const { operation, source, status } = newest;
  return new Failure('unsafe', `${headOf(newest, refused)} Nothing was sent now.`, {
    code,
    outcome: operation === null && status !== RECORDED ? 'unknown' : 'not_sent',
    items: [itemOf(newest, refused)],
    details: [detailOf(newest, code, refused)],
    idempotencyKey: operation === null && source.kind === 'request' ? source.key : undefined,
    retryable: status === RECORDED,
    ...nextStepFacts(newest, refused),
  });
}

function codeOf({ operation, status }: KnownPayment): string {
  if (operation === null) return 'reference_open';
  if (status === CONTRADICTED) return 'reference_contradicted';
  return status === 'confirmed' ? 'reference_paid' : 'reference_pending';
}

function headOf({ operation, source, status, isOurs }: KnownPayment, { subject }: RefusedCreate): string {
  const createName = subject.referenceMark === null ? 'An equal create' : 'A create of this reference';
  if (operation !== null && status === CONTRADICTED)
    return `Operation ${operation} of this reference was said to be confirmed, and to have failed. It counts as paid until you ask what it is.`;
  if (operation !== null && !isOurs)
    return 'This machine sent a payment of this reference. svc cannot tell whether your company or another one made it.';
  if (operation !== null)
    return status === 'confirmed'
      ? 'This reference is already paid.'
      : 'This reference already has a pending payment.';
  if (source.kind === 'batch')
    return status === 'planned'
      ? `Batch ${source.batch} is about to send this reference.`
      : `Batch ${source.batch} sent this reference. Its outcome is not known.`;
  if (status === RECORDED)
    return `${createName} is in progress: another command may be sending it now. Try again in a moment.`;
  return source.kind === 'request' && source.isForgotten === true
    ? `${createName} was sent. Its outcome was never known: it may have paid. svc does not send it again.`
    : `${createName} was sent. Its outcome is not known: it may have paid, or be paying now.`;
}

function itemOf(newest: KnownPayment, refused: RefusedCreate): string {
  const { operation, status, amount, currency, accountTail, atMs } = newest;
  const words = [
    operation === null ? null : `operation ${operation}`,
    operation === null ? null : status,
    amount === undefined ? null : `${amount} ${currency ?? ''}`.trim(),
    accountTail === null ? null : `account ending in ${accountTail}`,
    atMs === null ? null : `${operation === null ? 'sent' : 'made'} at ${isoSeconds(atMs)}`,
    senderText(newest),
    agreesWith(newest, refused) ? 'the same payment as this one' : 'not the same payment as this one',
  ];
  return words.filter((word) => word !== null).join(', ');
}

function senderText({ source }: KnownPayment): string {
  switch (source.kind) {
    case 'request':
      return `by a single create on this machine (key ${source.key})`;
    case 'batch':
      return `by batch ${source.batch}, line ${source.line}`;
    case 'feed':
      return 'by somebody else (known from the events)';
  }
}

function detailOf(newest: KnownPayment, code: string, refused: RefusedCreate): FailureDetail {
  const { operation, status, amount, currency, accountTail, atMs, source, isOurs } = newest;
  const more = {
    operation_id: operation,
    idempotency_key: source.kind === 'request' ? source.key : null,
    ...{ status, amount: amount ?? null, currency: currency ?? null, account: accountTail },
    at: atMs === null ? null : isoSeconds(atMs),
    sent_by: { request: 'single', batch: 'batch', feed: 'elsewhere' }[source.kind],
    batch: source.kind === 'batch' ? source.batch : null,
    line: source.kind === 'batch' ? source.line : null,
    agrees: agreesWith(newest, refused),
    company: isOurs ? 'same' : 'unknown',
  };
  return { field: 'reference', code, extraMembers: more };
}

export function agreesWith(payment: KnownPayment, { subject }: Pick<RefusedCreate, 'subject'>): boolean {
  const { direction, amount, currency, accountTail, twinMark } = subject;
  const { operation, status, accountTail: paymentTail, twinMark: paymentTwinMark } = payment;
  const paymentFacts = { ...payment, id: operation ?? '', status, code: null };
  if (amount === null || currency === null || !matchesPayment({ direction, amount, currency }, paymentFacts))
    return false;
  if (paymentTwinMark !== null) return paymentTwinMark === Buffer.from(twinMark).toString('hex');
  return paymentTail === null || accountTail === null || paymentTail === accountTail;
}

type NextStepFacts = Pick<FailureFacts, 'nextCommand' | 'isTypedCreate' | 'otherCommand' | 'advice'>;

function nextStepFacts(newest: KnownPayment, refused: RefusedCreate): NextStepFacts {
  const { operation, source, status, isOurs } = newest;
  const placeFlags = whereFlags(refused.flags);
  if (operation !== null && status === CONTRADICTED)
    return { nextCommand: svcLine('requests resolve', ['--operation', operation, ...placeFlags]) };
  if (operation !== null && status === GONE && source.kind === 'batch')
    return { nextCommand: svcLine('batches resume', ['--wait', ...placeFlags], [source.batch]) };
  if (operation !== null) {
    const nextLine = svcLine('transactions get', placeFlags, [operation]);
    const isOtherPayment = status === 'confirmed' && !(isOurs && agreesWith(newest, refused));
    return { nextCommand: nextLine, ...(isOtherPayment ? newPaymentLine(operation, refused) : {}) };
  }
  if (source.kind === 'batch') return { nextCommand: svcLine('batches resume', placeFlags, [source.batch]) };
  if (source.kind === 'feed' || status === RECORDED)
    return { nextCommand: commandLine(['svc', ...refused.typed]), isTypedCreate: true };
  if (source.isForgotten !== true)
    return { nextCommand: nextCommand({ kind: 'repeat', key: source.key }, refused) ?? undefined };
  const { reference, flags } = refused;
  return {
    nextCommand: typeof reference === 'string' ? listLine(reference, flags) : undefined,
    advice: [`Look for it in ${eventsLine(refused)}.`, decideText(source.key, refused)],
  };
}

function newPaymentLine(
  name: string,
  { typed, droppedFlags }: RefusedCreate,
): Pick<NextStepFacts, 'otherCommand'> {
  if (droppedFlags === null) return {};
  const words = withoutFlags(typed, ['--new-payment', '--new-since', ...droppedFlags]);
  const line = commandLine(['svc', ...withFlags(words, flagWords('--new-payment', name))]);
  return { otherCommand: { when: 'If you mean another payment', line } };
}

export function olderPaymentFailure(
  { operation, answer }: Conclusion,
  request: JournalRequest,
  run: SessionRun<Where>,
  droppedFlags: RefusedCreate['droppedFlags'] = null,
): Failure {
  const { row, idempotencyKey: key, direction } = request;
  const body = answer === null ? {} : jsonIn(answer.body);
  const payment: KnownPayment = {
    ...{ operation: operation?.id ?? null, status: operation?.status ?? 'pending', direction },
    ...{ amount: operation?.amount, currency: operation?.currency },
    ...{ atMs: operation?.createdAtMs ?? null, source: { kind: 'request', key }, isOurs: true, row },
    accountTail: isObject(body) ? accountTail(body, direction) : null,
    twinMark: null,
  };
  return knownPaymentFailure(payment, { ...run, subject: request, droppedFlags });
}

export function derivedKeyUsedFailure(key: string, isOpen: boolean, run: TypedLine): Failure {
  return new Failure(
    'unsafe',
    'The service got other data under the key of this payment, and nothing shows what became of that. It may have paid. Nothing was sent ' +
      'now. Ask the support of the service about the key.',
    {
      ...{ code: 'key_used', outcome: isOpen ? 'unknown' : 'not_sent', idempotencyKey: key },
      advice: [`If it was paid: ${resolveLine(key, run)}`],
      otherCommand: { when: 'If it was not paid', line: resolveLine(key, run, ['--not-paid']) },
    },
  );
}

export function notInFeedYetFailure(key: string, { typed }: TypedLine): Failure {
  return new Failure(
    'unsafe',
    'The service already has a payment of this reference with other data. The events do not show it yet, so it may be pending. Nothing ' +
      'was sent. Run this again later.',
    {
      ...{ code: 'reference_pending', outcome: 'not_sent', retryable: true },
      idempotencyKey: key,
      nextCommand: commandLine(['svc', ...typed]),
    },
  );
}
