import { mayBeOwn, NO_EVIDENCE } from '../known/evidence.js';
import { paymentsIn, type KnownPayment, tryOfPayment, isNamed, newestOf } from '../known/payments.js';
import { isFinal } from '../../contract/operation.js';
import { isSamePayment } from '../../storage/journal/precedence.js';
import { type JournalRequest, UNREFERENCED_KEPT_MS, isRepeatableAt } from '../../storage/journal/request.js';
import { isoSeconds } from '../../runtime/clock.js';
import type { PaymentTry } from '../known/key.js';
import { type PlannedCreate, refusalOfCreate } from './planned-create.js';
import { readWholeFeed, settleFromEvents } from '../known/settle-from-feed.js';
import { agreesWith } from '../refusals.js';
import { type CreateDecision, decideCreate, mayRefuse } from '../decide.js';
import { SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { moneyText } from '../../contract/money.js';
import { isUuid } from '../../contract/notation.js';
import { isSameReference } from '../../contract/reference.js';
import { Failure, type FailureFacts } from '../../runtime/failure.js';
import { commandLine } from '../../runtime/shell.js';
import { lookUp } from '../../command/read.js';
import { withoutFlags } from '../../command/line/typed-words.js';
import { askServiceTime } from '../../session/session.js';
import { ageReader } from './send-recorded.js';

export async function paymentsFor(create: PlannedCreate, ownRow: number | null): Promise<KnownPayment[]> {
  if (create.reference === null) {
    const twins = await twinsOf(create, ownRow);
    return twinPayments(
      create,
      twins.filter(({ state }) => state !== 'settled'),
    );
  }
  return paymentsIn(await currentEvidence(create, ownRow), create.unsent.direction);
}

async function twinPayments({ unsent, knownPayments }: PlannedCreate, twins: JournalRequest[]) {
  const singles = (await knownPayments.singles.of(twins)).filter(mayBeOwn);
  return paymentsIn({ ...NO_EVIDENCE, singles }, unsent.direction);
}

async function currentEvidence({ unsent, rules, knownPayments }: PlannedCreate, ownRow: number | null) {
  const evidence = await knownPayments.evidence(ownRow);
  const payments = paymentsIn(evidence, unsent.direction).filter((payment) => mayRefuse(payment, rules));
  const hasChanged = await knownPayments.refreshPending(payments);
  return hasChanged ? knownPayments.evidence(ownRow) : evidence;
}

export async function decideNow(create: PlannedCreate, ownRow: number | null): Promise<CreateDecision> {
  const payments = await paymentsFor(create, ownRow);
  const { idempotencyKey: key, isOwnKey } = create.unsent;
  // Creates of one reference derive the same key, so a payment with an operation is an earlier create.
  const isThisCreate = (payment: KnownPayment): boolean =>
    payment.source.kind === 'request' &&
    payment.source.key === key &&
    (isOwnKey || payment.operation === null) &&
    agreesWith(payment, { subject: create.unsent });
  const otherPayments = ownRow === null ? payments.filter((payment) => !isThisCreate(payment)) : payments;
  return decideCreate(otherPayments, create.rules);
}

export async function chooseTry(create: PlannedCreate): Promise<PaymentTry | null> {
  const { isDerived, options, knownPayments } = create;
  if (isDerived) {
    // Only the feed shows what another machine has paid.
    if (!options.skipsFeed) await readWholeFeed(knownPayments);
    return nextTry(create);
  }
  const { journal, reference, unsent } = create;
  const requestsWithKey = unsent.isOwnKey ? await journal.withKey(unsent.idempotencyKey) : [];
  const candidates = reference === null ? await twinsOf(create, null) : await knownPayments.requests();
  // The companies of these requests are looked up here, because the journal cannot wait for a lookup.
  await knownPayments.singles.of([
    ...requestsWithKey,
    ...candidates.filter(({ state }) => state === 'recorded'),
  ]);
  return null;
}

export async function nextTry(create: PlannedCreate): Promise<PaymentTry> {
  const { unsent, rules, run } = create;
  const { direction } = unsent;
  const nowMs = run.session.clock.now();
  return tryOfPayment(await currentEvidence(create, null), { ...rules, direction, nowMs });
}

async function twinsOf({ journal, unsent }: PlannedCreate, ownRow: number | null): Promise<JournalRequest[]> {
  const twins = await journal.ofTwins(unsent);
  return twins.filter((twin) => twin.row !== ownRow && isSamePayment(unsent, twin));
}

export async function findRecentTwin(create: PlannedCreate, ownRow: number): Promise<KnownPayment | null> {
  const nowMs = create.run.session.clock.now();
  const twins = (await twinsOf(create, ownRow)).filter(({ settled }) => settled !== null);
  const payments = await twinPayments(create, twins);
  const isRecent = ({ atMs }: KnownPayment): boolean => atMs === null || nowMs - atMs <= UNREFERENCED_KEPT_MS;
  return payments.findLast(isRecent) ?? null;
}

export function sandboxPassNote(payment: KnownPayment): string {
  const { operation, status, atMs } = payment;
  const code = isFinal(status) ? 'reference_paid' : 'reference_pending';
  const details = [moneyText(payment), atMs === null ? '' : isoSeconds(atMs)].filter((text) => text !== '');
  const detailsText = details.length === 0 ? '' : ` (${details.join(', ')})`;
  return `Operation ${String(operation)}${detailsText} already has this reference. In live, svc refuses it (${code}). Add --as-live to refuse it here too.`;
}

export async function requireNamedPayment(create: PlannedCreate): Promise<PlannedCreate> {
  const { rules, knownPayments, journal, unsent, reference, run } = create;
  const { newPayment: idOrKey } = rules;
  if (idOrKey === null || (await journal.withKey(idOrKey)).length > 0) return create;
  if (!isUuid(idOrKey))
    throw new Failure(
      'unsafe',
      `--new-payment: this machine sent nothing with the key ${idOrKey}. Nothing was sent. Leave out the flag, and svc names the payment.`,
      {
        code: 'new_payment_unknown',
        outcome: 'not_sent',
        idempotencyKey: idOrKey,
        ...retypeWithoutNewPayment(run),
      },
    );
  const payment = paymentsIn(await knownPayments.evidence(null), unsent.direction).find((one) =>
    isNamed(one, idOrKey),
  );
  if (payment !== undefined && !(create.isDerived && payment.isOurs)) return create;
  const operation = (await lookUp(idOrKey, run))?.operation ?? null;
  const isOfReference = isSameReference(operation?.reference, reference);
  if (operation !== null && isOfReference && operation.direction === unsent.direction) {
    knownPayments.addOperation(operation);
    const { status, createdAtMs: sinceMs } = operation;
    return status === 'failed' ? { ...create, rules: { ...rules, newPayment: null, sinceMs } } : create;
  }
  const why =
    operation === null
      ? 'the service has no such operation for this API key'
      : 'it is of another reference or direction';
  throw new Failure(
    'usage',
    `--new-payment ${idOrKey}: ${why}. Nothing was sent.`,
    retypeWithoutNewPayment(run),
  );
}

function retypeWithoutNewPayment({ typed }: PlannedCreate['run']): FailureFacts {
  const words = withoutFlags(typed, ['--new-payment']);
  return { nextCommand: commandLine(['svc', ...words]), isTypedCreate: true };
}

export async function findPredecessor(
  create: PlannedCreate,
  namedPayment: KnownPayment,
  ownRow: number,
): Promise<JournalRequest | undefined> {
  const { journal, run, knownPayments, unsent, reference } = create;
  const request = (await journal.withKey(create.rules.newPayment ?? '')).find(
    ({ row }) => row === namedPayment.row,
  );
  if (request === undefined) throw refusalOfCreate(create, namedPayment);
  await askServiceTime(run);
  if (request.state === 'open' && isRepeatableAt(request, ageReader(run.session)))
    throw refusalOfCreate(create, namedPayment);
  if (reference === null) return request;
  await readWholeFeed(knownPayments);
  const settlement = await settleFromEvents(request, journal, knownPayments);
  const payments = paymentsIn(await knownPayments.evidence(ownRow), unsent.direction);
  const newest = newestOf(payments.filter((payment) => mayBePaymentOf(payment, request)));
  if (newest !== null) throw refusalOfCreate(create, newest);
  return settlement === null ? request : undefined;
}

function mayBePaymentOf({ operation, atMs, source, row }: KnownPayment, request: JournalRequest): boolean {
  if (operation === null) return false;
  if (row === request.row) return true;
  return source.kind === 'feed' && (atMs === null || atMs >= request.firstLeftMs - SERVICE_CLOCKS_MS);
}
