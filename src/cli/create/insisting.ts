/** `--new-payment`: what it names has to be known, and a create whose outcome is not known has to be past being sent again. */
import { isNamed, type KnownPayment, newestOf, paymentsIn } from '../../bulk/check/payments.js';
import { SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { mayLeaveAgain } from '../../contract/moment.js';
import { isUuid } from '../../contract/notation.js';
import { isSameReference } from '../../contract/reference.js';
import { ageAt, type KeptRequest } from '../../journal/request.js';
import { Failure, type FailureFacts } from '../../runtime/failure.js';
import { commandLine } from '../../runtime/shell.js';
import { lookUp } from '../call/looking-up.js';
import { withoutFlags } from '../line/shell.js';
import { askServiceTime } from '../session/session.js';
import { type PlannedCreate, refusalOfCreate } from './creating.js';
import { readWholeFeed, settleFromEvents } from './from-events.js';
import { ageIn } from './sending.js';

/**
 * An operation is read: it has to be of the body's reference and direction. If it failed, what is meant is its next try. In a sandbox what is known
 * here is not read.
 * @returns the create as it is meant then
 * @throws Failure `usage` where it is not, `unsafe` (`new_payment_unknown`) for a key that nobody knows; what reading it throws
 */
export async function requireNamedPayment(plannedCreate: PlannedCreate): Promise<PlannedCreate> {
  const { rules, knownPayments, journal, leaving, reference, run } = plannedCreate;
  const { newPayment: name } = rules;
  if (name === null || (await journal.withKey(name)).length > 0) return plannedCreate;
  if (!isUuid(name))
    throw new Failure(
      'unsafe',
      `--new-payment: this machine sent nothing with the key ${name}. Nothing was sent. Leave out the flag, and svc names the payment.`,
      { code: 'new_payment_unknown', outcome: 'not_sent', idempotencyKey: name, ...withoutInsisting(run) },
    );
  const known = paymentsIn(await knownPayments.evidence(null), leaving.direction).find((one) =>
    isNamed(one, name),
  );
  if (known !== undefined && !(plannedCreate.isDerived && known.isOurs)) return plannedCreate;
  const operation = (await lookUp(name, run))?.operation ?? null;
  const isOfReference = isSameReference(operation?.reference, reference);
  if (operation !== null && isOfReference && operation.direction === leaving.direction) {
    knownPayments.learn(operation);
    const { status, createdAtMs: sinceMs } = operation;
    return status === 'failed'
      ? { ...plannedCreate, rules: { ...rules, newPayment: null, sinceMs } }
      : plannedCreate;
  }
  const why =
    operation === null
      ? 'the service has no such operation for this API key'
      : 'it is of another reference or direction';
  throw new Failure('usage', `--new-payment ${name}: ${why}. Nothing was sent.`, withoutInsisting(run));
}

function withoutInsisting({ typed }: PlannedCreate['run']): FailureFacts {
  const words = withoutFlags(typed, ['--new-payment']);
  return { nextCommand: commandLine(['svc', ...words]), isTypedCreate: true };
}

/**
 * The create beside which a new payment is made: it may not be sent again, and the feed does not tell that it has paid. Undefined where the feed tells that
 * it has failed.
 * @throws Failure `unsafe` where it may be sent again, or a payment was found; `feed_unreadable`
 */
export async function replacedRequest(
  plannedCreate: PlannedCreate,
  named: KnownPayment,
  ownRow: number,
): Promise<KeptRequest | undefined> {
  const { journal, run, knownPayments, leaving, reference } = plannedCreate;
  const over = (await journal.withKey(plannedCreate.rules.newPayment ?? '')).find(
    ({ row }) => row === named.row,
  );
  if (over === undefined) throw refusalOfCreate(plannedCreate, named);
  await askServiceTime(run);
  const mayRepeat = over.state === 'open' && !over.mayNotRepeat;
  if (mayRepeat && mayLeaveAgain(ageAt(over, ageIn(run.session))))
    throw refusalOfCreate(plannedCreate, named);
  if (reference === null) return over;
  await readWholeFeed(knownPayments);
  const own = await settleFromEvents(over, journal, knownPayments);
  const payments = paymentsIn(await knownPayments.evidence(ownRow), leaving.direction);
  const found = newestOf(payments.filter((payment) => mayBeOf(payment, over)));
  if (found !== null) throw refusalOfCreate(plannedCreate, found);
  return own === null ? over : undefined;
}

/** True for the payment that it became, and for one that was made since it left, and that nothing here is known to have made. */
function mayBeOf({ operation, atMs, source, row }: KnownPayment, over: KeptRequest): boolean {
  if (operation === null) return false;
  if (row === over.row) return true;
  return source.kind === 'feed' && (atMs === null || atMs >= over.firstLeftMs - SERVICE_CLOCKS_MS);
}
