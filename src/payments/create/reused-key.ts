import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { type KnownPayment, newestOf, paymentsIn, splitPayments, explainedTries } from '../known/payments.js';
import type { PaymentTry } from '../known/key.js';
import { isSameId } from '../../contract/notation.js';
import { isFinal } from '../../contract/operation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { Conclusion } from '../../client/conclusion.js';
import { accountTail } from '../../contract/marks.js';
import type { JournalRequest } from '../../storage/journal/request.js';
import { Failure } from '../../runtime/failure.js';
import { commandLine } from '../../runtime/shell.js';
import type { Where } from '../../session/place-flags.js';
import { type PlannedCreate, refusalOfCreate } from './planned-create.js';
import { knownPaymentFailure, type RefusedCreate } from './payment-refusal.js';
import { mayUseNextKey, isResendPointless, paymentNoteBody } from '../../contract/key-use.js';
import type { TypedLine } from '../../command/ending.js';
import { nextTry } from './check.js';
import { resolveLine } from '../requests/refusals.js';
import { readWholeFeed } from '../known/settle-from-feed.js';
import type { SessionRun } from '../../command/command.js';

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

export function tryAfter({ unsent: { follows, generation } }: PlannedCreate): PaymentTry {
  return { follows, generation: (generation ?? 0) + 1 };
}

export async function checkOlderPayment(
  create: PlannedCreate,
  request: JournalRequest,
  operation: OperationFacts,
  conclusion: Conclusion,
): Promise<PaymentTry> {
  const { rules, knownPayments, run } = create;
  if (operation.status === 'failed') return tryAfter(create);
  knownPayments.addOperation(operation);
  const payments = paymentsIn(await knownPayments.evidence(null), request.direction);
  const { previous } = splitPayments(payments, rules);
  if (previous === null || !isSameId(previous.operation ?? '', operation.id))
    throw olderPaymentFailure(conclusion, request, run, []);
  if (!isFinal(previous.status)) throw refusalOfCreate(create, previous);
  return nextTry(create);
}

/** Reads the feed first, because only an operation proves that the request with the other body has paid. */
export async function checkReusedKey(create: PlannedCreate, openSinceMs: number | null): Promise<PaymentTry> {
  const { knownPayments, unsent, notes, reference } = create;
  const isOpen = openSinceMs !== null;
  const { direction, idempotencyKey: key, body } = unsent;
  await readWholeFeed(knownPayments);
  const isExplained = await isUseExplained(create, openSinceMs);
  if (
    await mayUseNextKey(await notes.lookUpUsed({ key, direction, body, hasOpenAttempt: isOpen }, isExplained))
  )
    return tryAfter(create);
  await notes.note(key, 'used', paymentNoteBody(direction, reference ?? ''));
  throw derivedKeyUsedFailure(key, isOpen, create.run);
}

export async function refuseUsedKey(create: PlannedCreate): Promise<void> {
  const { unsent, notes, run } = create;
  const keyNotes = await notes.of(unsent.idempotencyKey);
  if (!keyNotes.some(({ kind }) => kind === 'used')) return;
  const nowMs = run.session.clock.now();
  if (isResendPointless({ notes: keyNotes, nowMs, isExplained: await isUseExplained(create) }))
    throw derivedKeyUsedFailure(unsent.idempotencyKey, false, run);
}

async function isUseExplained(create: PlannedCreate, openSinceMs: number | null = null): Promise<boolean> {
  const { knownPayments, unsent, rules, run } = create;
  const { direction, generation } = unsent;
  const evidence = await knownPayments.evidence(null);
  const { blocking } = splitPayments(paymentsIn(evidence, direction), rules);
  const newest = newestOf(blocking.filter(({ operation }) => operation !== null));
  if (newest !== null) throw refusalOfCreate(create, newest);
  const settledEvidence = {
    ...evidence,
    rows: [],
    singles: evidence.singles.filter(({ operation }) => operation !== null),
  };
  const nowMs = run.session.clock.now();
  return explainedTries(settledEvidence, { ...rules, direction, nowMs, openSinceMs }) >= (generation ?? 1);
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

export function notInFeedYetFailure({ run, unsent }: PlannedCreate): Failure {
  return new Failure(
    'unsafe',
    'The service already has a payment of this reference with other data. The events do not show it yet, so it may be pending. Nothing ' +
      'was sent. Run this again later.',
    {
      ...{ code: 'reference_pending', outcome: 'not_sent', retryable: true },
      idempotencyKey: unsent.idempotencyKey,
      nextCommand: commandLine(['svc', ...run.typed]),
    },
  );
}
