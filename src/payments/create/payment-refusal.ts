import { matchesPayment } from '../../contract/operation-facts.js';
import { CONTRADICTED, GONE } from '../../contract/operation.js';
import { RECORDED, type KnownPayment } from '../known/payments.js';
import type { RequestSubject } from '../../storage/journal/request.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure, type FailureDetail, type FailureFacts } from '../../runtime/failure.js';
import { commandLine, flagWords, svcLine } from '../../runtime/shell.js';
import { nextCommand, type TypedLine } from '../../command/ending.js';
import { decideText, eventsLine, listLine } from '../requests/refusals.js';
import { withFlags, withoutFlags } from '../../command/line/typed-words.js';
import { whereFlags } from '../../session/place-flags.js';

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
