import { type KnownPayment, newestOf, paymentsIn, splitPayments, countExplained } from '../known/payments.js';
import type { PaymentTry } from '../known/key.js';
import { isSameId } from '../../contract/notation.js';
import { isFinal } from '../../contract/operation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { Conclusion } from '../../client/conclusion.js';
import type { JournalRequest, SettledRequest } from '../../storage/journal/request.js';
import { Failure, type FailureFacts } from '../../runtime/failure.js';
import { commandLine, svcLine } from '../../runtime/shell.js';
import { whereFlags } from '../../session/place-flags.js';
import { type PlannedCreate, refusalOfCreate } from './planned-create.js';
import { derivedKeyUsedFailure, olderPaymentFailure } from '../refusals.js';
import { mayUseNextKey, isResendPointless, paymentNoteBody } from '../../contract/key-use.js';
import { nextTry } from './check.js';
import { readWholeFeed } from '../known/settle-from-feed.js';
import { isoSeconds } from '../../runtime/clock.js';
import { withoutFlags } from '../../command/line/typed-words.js';

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
    throw olderPaymentFailure(operation, conclusion, request, run, []);
  if (!isFinal(previous.status)) throw refusalOfCreate(create, previous);
  return nextTry(create);
}

/** The whole feed is read first, because only an operation proves that the key has paid. */
export async function checkReusedKey(create: PlannedCreate, openSinceMs: number | null): Promise<PaymentTry> {
  const { knownPayments, unsent, notes, reference } = create;
  const isOpen = openSinceMs !== null;
  const { direction, idempotencyKey: key, body } = unsent;
  await readWholeFeed(knownPayments);
  const isExplained = await isUseExplained(create, openSinceMs);
  const usedKey = await notes.lookUpUsed(key, direction, { body, hasOpenAttempt: isOpen, isExplained });
  if (await mayUseNextKey(usedKey)) return tryAfter(create);
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
  return countExplained(settledEvidence, { ...rules, direction, nowMs, openSinceMs }) >= (generation ?? 1);
}

export async function usedKeyFailure(request: JournalRequest, create: PlannedCreate): Promise<Failure> {
  const settlement = await currentSettlement(request, create);
  return new Failure(
    'unsafe',
    `This key ${madeOperationText(settlement)} It was first sent at ${isoSeconds(request.firstLeftMs)}. After 23 hours the service may have forgotten ` +
      'the key, so it could pay twice. Nothing was sent. Use another key for another payment.',
    {
      code: 'key_used',
      outcome: 'not_sent',
      idempotencyKey: request.idempotencyKey,
      ...nextStepOf(settlement, create),
    },
  );
}

export async function explainReuse(failure: Failure, create: PlannedCreate): Promise<Failure> {
  const { journal, unsent, knownPayments } = create;
  const { environment } = unsent;
  const requests = await journal.withKey(unsent.idempotencyKey);
  await knownPayments.singles.of(requests);
  const ourRequests = requests.filter((one) => knownPayments.singles.companyMatchOf(one) !== 'other');
  const request = ourRequests.findLast((one) => one.settled !== null && one.environment === environment);
  if (request === undefined) return failure;
  const settlement = await currentSettlement(request, create);
  const head = `${failure.head} This key ${madeOperationText(settlement)}`;
  return new Failure(failure.kind, head, { ...failure.facts, ...nextStepOf(settlement, create) });
}

async function currentSettlement(
  { settled, row }: JournalRequest,
  { knownPayments, journal, unsent }: PlannedCreate,
): Promise<SettledRequest | null> {
  if (settled === null) return null;
  const payment = { operation: settled.operation, status: settled.status } as KnownPayment;
  await knownPayments.refreshPending([payment]);
  const currentRequest = (await journal.withKey(unsent.idempotencyKey)).find((one) => one.row === row);
  return currentRequest?.settled ?? settled;
}

function madeOperationText(settlement: SettledRequest | null): string {
  if (settlement === null) return 'made an operation.';
  const { operation, status } = settlement;
  const endText = { confirmed: 'is confirmed: it was paid', failed: 'failed: it was not paid' }[status];
  return `made operation ${operation}, which ${endText ?? `is ${status}`}.`;
}

function nextStepOf(settlement: SettledRequest | null, { run }: PlannedCreate): FailureFacts {
  if (settlement === null) return {};
  const { operation, status } = settlement;
  const retypedWords = withoutFlags(run.typed, ['--idempotency-key']);
  const nextStep =
    status === 'failed'
      ? { nextCommand: commandLine(['svc', ...retypedWords]), isTypedCreate: true }
      : { nextCommand: svcLine('transactions get', whereFlags(run.flags), [operation]) };
  const extraMembers = { operation_id: operation, status };
  return { details: [{ field: 'Idempotency-Key', code: 'key_used', extraMembers }], ...nextStep };
}
