import { isNamed, type KnownPayment, newestOf, paymentsIn } from '../known/payments.js';
import { SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { maySendAgain } from '../../contract/moment.js';
import { isUuid } from '../../contract/notation.js';
import { isSameReference } from '../../contract/reference.js';
import { ageAt, type JournalRequest } from '../../storage/journal/request.js';
import { Failure, type FailureFacts } from '../../runtime/failure.js';
import { commandLine } from '../../runtime/shell.js';
import { lookUp } from '../../command/read.js';
import { withoutFlags } from '../../command/line/typed-words.js';
import { askServiceTime } from '../../session/session.js';
import { type PlannedCreate, refusalOfCreate } from './planned-create.js';
import { readWholeFeed, settleFromEvents } from '../known/settle-from-feed.js';
import { ageReader } from './send-recorded.js';

export async function requireNamedPayment(create: PlannedCreate): Promise<PlannedCreate> {
  const { rules, knownPayments, journal, unsent, reference, run } = create;
  const { newPayment: namedId } = rules;
  if (namedId === null || (await journal.withKey(namedId)).length > 0) return create;
  if (!isUuid(namedId))
    throw new Failure(
      'unsafe',
      `--new-payment: this machine sent nothing with the key ${namedId}. Nothing was sent. Leave out the flag, and svc names the payment.`,
      {
        code: 'new_payment_unknown',
        outcome: 'not_sent',
        idempotencyKey: namedId,
        ...retypeWithoutNewPayment(run),
      },
    );
  const payment = paymentsIn(await knownPayments.evidence(null), unsent.direction).find((one) =>
    isNamed(one, namedId),
  );
  if (payment !== undefined && !(create.isDerived && payment.isOurs)) return create;
  const operation = (await lookUp(namedId, run))?.operation ?? null;
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
    `--new-payment ${namedId}: ${why}. Nothing was sent.`,
    retypeWithoutNewPayment(run),
  );
}

function retypeWithoutNewPayment({ typed }: PlannedCreate['run']): FailureFacts {
  const words = withoutFlags(typed, ['--new-payment']);
  return { nextCommand: commandLine(['svc', ...words]), isTypedCreate: true };
}

export async function replacedRequest(
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
  const mayRepeat = request.state === 'open' && !request.mayNotRepeat;
  if (mayRepeat && maySendAgain(ageAt(request, ageReader(run.session))))
    throw refusalOfCreate(create, namedPayment);
  if (reference === null) return request;
  await readWholeFeed(knownPayments);
  const settledRequest = await settleFromEvents(request, journal, knownPayments);
  const payments = paymentsIn(await knownPayments.evidence(ownRow), unsent.direction);
  const newest = newestOf(payments.filter((payment) => mayBePaymentOf(payment, request)));
  if (newest !== null) throw refusalOfCreate(create, newest);
  return settledRequest === null ? request : undefined;
}

function mayBePaymentOf({ operation, atMs, source, row }: KnownPayment, request: JournalRequest): boolean {
  if (operation === null) return false;
  if (row === request.row) return true;
  return source.kind === 'feed' && (atMs === null || atMs >= request.firstLeftMs - SERVICE_CLOCKS_MS);
}
