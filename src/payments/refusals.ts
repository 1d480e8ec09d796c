import { type Age, unsureMembers, unsureText } from '../contract/moment.js';
import type { Obstacle } from '../storage/journal/precedence.js';
import type { JournalRequest, RequestSubject } from '../storage/journal/request.js';
import { isoSeconds } from '../runtime/clock.js';
import { Failure, type FailureDetail, type FailureFacts } from '../runtime/failure.js';
import { flagWords, svcLine, commandLine } from '../runtime/shell.js';
import { repeatLine, type TypedLine } from '../command/ending.js';
import { type Where, whereFlags, whereFlagsIn, whereIn } from '../session/place-flags.js';
import type { Session } from '../session/session.js';
import { CONTRADICTED, GONE } from '../contract/operation.js';
import { moneyText } from '../contract/money.js';
import { type KnownPayment, RECORDED } from './known/payments.js';
import { jsonIn } from '../contract/json.js';
import { isObject } from '../contract/shape.js';
import { accountTail } from '../contract/marks.js';
import type { Conclusion } from '../client/conclusion.js';
import type { SessionRun } from '../command/command.js';
import { matchesPayment, type OperationFacts } from '../contract/operation-facts.js';
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
    const { environment, idempotencyKey } = forgottenRequest;
    const requestPlace = { flags: whereIn(environment, run.flags, true) };
    return new Failure(
      'not_found',
      `${sentText(forgottenRequest)}. Its outcome was never known, and somebody removed it: it may have paid. Nothing was sent now. ` +
        searchAdvice(idempotencyKey, requestPlace),
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

function sentText({ firstLeftMs }: JournalRequest): string {
  return `A request with this key was sent at ${isoSeconds(firstLeftMs)}`;
}

function searchAdvice(key: string, run: Pick<TypedLine, 'flags'>): string {
  return `Look for its reference in ${eventsLine(run)}. ${decideText(key, run)}.`;
}

function openFailure(
  { idempotencyKey }: JournalRequest,
  code: string,
  text: string,
  facts: FailureFacts = {},
): Failure {
  return new Failure('unsafe', text, { code, outcome: 'unknown', idempotencyKey, ...facts });
}

export function tooOldFailure(request: JournalRequest, age: Age, run: TypedLine): Failure {
  const head = `${sentText(request)}. Its outcome is not known.`;
  if (age.kind === 'known')
    return openFailure(
      request,
      'too_old',
      `${head} After 23 hours the service may have forgotten its key, so it could pay twice. Nothing was sent. ${searchAdvice(request.idempotencyKey, run)}`,
    );
  const details = unsureMembers(age).map((extraMembers) => ({
    ...{ field: 'left_at', code: age.kind, extraMembers },
  }));
  return openFailure(
    request,
    age.kind,
    `${head} ${unsureText(age)} Sent again too late, it could pay twice. Nothing was sent. Look for its reference in ${eventsLine(run)}. Run this again when the clocks agree ("svc doctor").`,
    { details: details.length === 0 ? undefined : details, retryable: true },
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
  const { idempotencyKey } = request;
  switch (kind) {
    case 'too_old':
      return tooOldFailure(request, obstacle.age, run);
    case 'replaced':
      return openFailure(
        request,
        'too_old',
        `${sentText(request)}. Its outcome is not known, and you made another payment instead. svc does not send it again. Nothing was ` +
          `sent. ${searchAdvice(idempotencyKey, run)}`,
      );
    case 'under_way': {
      const { by, underWayUntilMs: untilMs = null } = request.lastSending ?? {};
      const untilText = untilMs === null ? '' : `, until ${isoSeconds(untilMs)} at the latest`;
      const whereText = by === undefined ? '' : ` on ${by}${untilText}`;
      return openFailure(
        request,
        'reference_open',
        `Another command is working on the same payment${whereText} and may be sending it now. Nothing was sent. ` +
          'Try again in a moment.',
        { outcome: 'not_sent' },
      );
    }
    case 'other_sender':
      return openFailure(
        request,
        'reference_open',
        `${sentText(request)} with another API key or to another address. Its outcome is not known. Nothing was sent now. ` +
          'Repeat it to see whether both belong to the same company.',
        { nextCommand: repeatLine(idempotencyKey, run) },
      );
  }
}

export function otherEnvironmentFailure(
  request: JournalRequest,
  { session, flags }: { readonly session: Pick<Session, 'environment'>; readonly flags: Where },
  line = svcLine('requests repeat', whereFlagsIn(request.environment, flags), ['--', request.idempotencyKey]),
): Failure {
  return openFailure(
    request,
    'other_place',
    `This request was sent to the ${request.environment} environment, but this command uses ${session.environment}. Nothing was sent.`,
    { nextCommand: line, advice: [`Type there: ${line}`] },
  );
}

export function unknownCompanyFailure(request: JournalRequest): Failure {
  const text = `This request was sent with ${request.keyMask} to ${request.address}. svc cannot tell whether this API key belongs to the same company. Nothing was sent. If you know that it does, add --same-company.`;
  return openFailure(request, 'company_unknown', text);
}

export function otherCompanyFailure(request: JournalRequest): Failure {
  const text =
    'This request is of another company: this API key does not see its operations. Nothing was sent. Repeat it with a key of that company.';
  return openFailure(request, 'other_company', text);
}

export function twoRequestsFailure(request: JournalRequest): Failure {
  const text =
    'Two different requests with this key have no answer. Only one of them can have paid. Nothing was sent. Look for their references in "svc events list --all". Then remove both with "svc requests forget".';
  return openFailure(request, 'two_requests', text);
}

export interface RefusedCreate extends TypedLine {
  readonly subject: Pick<
    RequestSubject,
    'direction' | 'amount' | 'currency' | 'accountTail' | 'referenceMark' | 'twinMark'
  >;
  readonly reference?: string | null;
  readonly droppedFlags: readonly string[] | null;
}

export function knownPaymentFailure(payment: KnownPayment, create: RefusedCreate): Failure {
  const { operation, source, status } = payment;
  const { code, head, ...nextStep } =
    operation === null ? openReason(payment, create) : operationReason(operation, payment, create);
  return new Failure('unsafe', `${head} Nothing was sent now.`, {
    code,
    outcome: operation === null && status !== RECORDED ? 'unknown' : 'not_sent',
    items: [itemOf(payment, create)],
    details: [detailOf(payment, code, create)],
    idempotencyKey: operation === null && source.kind === 'request' ? source.key : undefined,
    retryable: status === RECORDED,
    ...nextStep,
  });
}

interface Reason extends Pick<FailureFacts, 'nextCommand' | 'isTypedCreate' | 'otherCommand' | 'advice'> {
  readonly code: string;
  readonly head: string;
}

function operationReason(operation: string, payment: KnownPayment, create: RefusedCreate): Reason {
  const { source, status, isOurs } = payment;
  const placeFlags = whereFlags(create.flags);
  if (status === CONTRADICTED)
    return {
      code: 'reference_contradicted',
      head: `Operation ${operation} of this reference was said to be confirmed, and to have failed. It counts as paid until you ask what it is.`,
      nextCommand: svcLine('requests resolve', ['--operation', operation, ...placeFlags]),
    };
  const isPaid = status === 'confirmed';
  const ownHead = isPaid
    ? 'This reference is already paid.'
    : 'This reference already has a pending payment.';
  const reason = {
    code: isPaid ? 'reference_paid' : 'reference_pending',
    head: isOurs
      ? ownHead
      : 'This machine sent a payment of this reference. svc cannot tell whether your company or another one made it.',
  };
  if (status === GONE && source.kind !== 'request' && source.batch !== undefined)
    return { ...reason, nextCommand: svcLine('batches resume', ['--wait', ...placeFlags], [source.batch]) };
  const nextCommand = svcLine('transactions get', placeFlags, [operation]);
  const { typed, droppedFlags } = create;
  if (droppedFlags === null || !isPaid || (isOurs && agreesWith(payment, create)))
    return { ...reason, nextCommand };
  const words = withoutFlags(typed, ['--new-payment', '--new-since', ...droppedFlags]);
  const line = commandLine(['svc', ...withFlags(words, flagWords('--new-payment', operation))]);
  return { ...reason, nextCommand, otherCommand: { when: 'If you mean another payment', line } };
}

function openReason({ source, status }: KnownPayment, create: RefusedCreate): Reason {
  const { subject, reference, flags, typed } = create;
  const code = 'reference_open';
  if (source.kind === 'batch') {
    const head =
      status === 'planned'
        ? `Batch ${source.batch} is about to send this reference.`
        : `Batch ${source.batch} sent this reference. Its outcome is not known.`;
    return { code, head, nextCommand: svcLine('batches resume', whereFlags(flags), [source.batch]) };
  }
  const createName = subject.referenceMark === null ? 'An equal create' : 'A create of this reference';
  if (source.kind === 'feed' || status === RECORDED) {
    const head = `${createName} is in progress: another command may be sending it now. Try again in a moment.`;
    return { code, head, nextCommand: commandLine(['svc', ...typed]), isTypedCreate: true };
  }
  if (source.isForgotten !== true) {
    const head = `${createName} was sent. Its outcome is not known: it may have paid, or be paying now.`;
    return { code, head, nextCommand: repeatLine(source.key, create) };
  }
  return {
    code,
    head: `${createName} was sent. Its outcome was never known: it may have paid. svc does not send it again.`,
    nextCommand: typeof reference === 'string' ? listLine(reference, flags) : undefined,
    advice: [`Look for it in ${eventsLine(create)}.`, decideText(source.key, create)],
  };
}

function itemOf(payment: KnownPayment, create: RefusedCreate): string {
  const { operation, status, accountTail, atMs } = payment;
  const words = [
    ...(operation === null ? [] : [`operation ${operation}`, status]),
    moneyText(payment),
    accountTail === null ? '' : `account ending in ${accountTail}`,
    atMs === null ? '' : `${operation === null ? 'sent' : 'made'} at ${isoSeconds(atMs)}`,
    senderText(payment),
    agreesWith(payment, create) ? 'the same payment as this one' : 'not the same payment as this one',
  ];
  return words.filter((word) => word !== '').join(', ');
}

function senderText({ source }: KnownPayment): string {
  if (source.kind === 'feed') return 'by somebody else (known from the events)';
  return source.kind === 'batch'
    ? `by batch ${source.batch}, line ${source.line}`
    : `by a single create on this machine (key ${source.key})`;
}

function detailOf(payment: KnownPayment, code: string, create: RefusedCreate): FailureDetail {
  const { operation, status, amount = null, currency = null, accountTail, atMs, source, isOurs } = payment;
  const { key = null } = source.kind === 'request' ? source : {};
  const { batch = null, line = null } = source.kind === 'batch' ? source : {};
  const extraMembers = {
    ...{ operation_id: operation, idempotency_key: key, status, amount, currency, account: accountTail },
    at: atMs === null ? null : isoSeconds(atMs),
    sent_by: { request: 'single', batch: 'batch', feed: 'elsewhere' }[source.kind],
    ...{ batch, line, agrees: agreesWith(payment, create), company: isOurs ? 'same' : 'unknown' },
  };
  return { field: 'reference', code, extraMembers };
}

export function agreesWith(payment: KnownPayment, { subject }: Pick<RefusedCreate, 'subject'>): boolean {
  const { direction, amount, currency, accountTail, twinMark } = subject;
  if (amount === null || currency === null || !matchesPayment({ direction, amount, currency }, payment))
    return false;
  if (payment.twinMark !== null) return payment.twinMark === Buffer.from(twinMark).toString('hex');
  return payment.accountTail === null || accountTail === null || payment.accountTail === accountTail;
}

export function olderPaymentFailure(
  { id, status, amount, currency, createdAtMs: atMs }: OperationFacts,
  { answer }: Pick<Conclusion, 'answer'>,
  request: JournalRequest,
  run: SessionRun<Where>,
  droppedFlags: RefusedCreate['droppedFlags'] = null,
): Failure {
  const { row, idempotencyKey: key, direction } = request;
  const body = answer === null ? {} : jsonIn(answer.body);
  const payment: KnownPayment = {
    ...{ operation: id, status, direction, amount, currency, atMs, isOurs: true, row, twinMark: null },
    accountTail: isObject(body) ? accountTail(body, direction) : null,
    source: { kind: 'request', key },
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
