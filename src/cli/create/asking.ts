/** Checks a create against the known payments: what refuses it, what a new payment stands beside, and what a sandbox lets pass. */
import { type Evidence, isOfCompany, NO_EVIDENCE } from '../../bulk/check/evidence.js';
import { paymentsIn, type KnownPayment, tryNow } from '../../bulk/check/payments.js';
import { isFinal } from '../../contract/operation.js';
import { isSamePayment } from '../../journal/precedence.js';
import { type KeptRequest, NAMELESS_KEPT_MS } from '../../journal/request.js';
import { isoSeconds } from '../../runtime/clock.js';
import type { PaymentTry } from '../../bulk/key.js';
import type { PlannedCreate } from './creating.js';
import { readWholeFeed } from './from-events.js';
import { agreesWith } from './standing-failure.js';
import { countsFor, type CreateVerdict, isSettledSingle, verdictOf } from './verdict.js';

/**
 * The payments of its reference that count; without one, the creates that a person takes for the same. What is pending is read first, but
 * where it refuses nothing.
 * @param ownRow its own place in the journal; null before it was recorded
 */
export async function paymentsFor(
  plannedCreate: PlannedCreate,
  ownRow: number | null,
): Promise<KnownPayment[]> {
  if (plannedCreate.reference === null) {
    const twins = await twinsOf(plannedCreate, ownRow);
    return paymentsOf(
      plannedCreate,
      twins.filter(({ state }) => state !== 'settled'),
    );
  }
  return paymentsIn(await evidenceNow(plannedCreate, ownRow), plannedCreate.leaving.direction);
}

async function paymentsOf(
  { leaving, knownPayments }: PlannedCreate,
  twins: KeptRequest[],
): Promise<KnownPayment[]> {
  const singles = (await knownPayments.singles.of(twins)).filter(isOfCompany);
  return paymentsIn({ ...NO_EVIDENCE, singles }, leaving.direction);
}

/** What is known of its reference, once what is pending was read that may refuse it. */
async function evidenceNow(
  { leaving, rules, knownPayments }: PlannedCreate,
  ownRow: number | null,
): Promise<Evidence> {
  const evidence = await knownPayments.evidence(ownRow);
  const isAsked = (payment: KnownPayment): boolean =>
    countsFor(payment, rules) && (rules.isStrict || !isSettledSingle(payment));
  const isNews = await knownPayments.look(paymentsIn(evidence, leaving.direction).filter(isAsked));
  return isNews ? knownPayments.evidence(ownRow) : evidence;
}

/** What stands in its way now, by all that is known. @param ownRow as for `paymentsFor` */
export async function decideNow(plannedCreate: PlannedCreate, ownRow: number | null): Promise<CreateVerdict> {
  const payments = await paymentsFor(plannedCreate, ownRow);
  const { idempotencyKey: key, isOwnKey } = plannedCreate.leaving;
  // What has its key is the create itself: it is repeated; of what is settled only the caller's own key is answered again.
  const isItself = (one: KnownPayment): boolean =>
    one.source.kind === 'request' &&
    one.source.key === key &&
    (isOwnKey || one.operation === null) &&
    agreesWith(one, { about: plannedCreate.leaving });
  const others = ownRow === null ? payments.filter((one) => !isItself(one)) : payments;
  return verdictOf(others, plannedCreate.rules);
}

/**
 * Which payment of its reference a create is, and which try of it; null where its key does not follow from that. The feed is read to its end first:
 * no local rule sees what another machine has paid.
 * @throws Failure `unsafe` (`feed_unreadable`)
 */
export async function chooseTry(plannedCreate: PlannedCreate): Promise<PaymentTry | null> {
  const { isDerived, options, knownPayments } = plannedCreate;
  if (isDerived) {
    if (!options.skipsFeed) await readWholeFeed(knownPayments);
    return nextTry(plannedCreate);
  }
  // Whose they are is found out before anything is recorded, which asks for it in one turn.
  await knownPayments.singles.of(await rivalsOf(plannedCreate));
  return null;
}

/** The same by what is known by now: what was pending may have failed since. */
export async function nextTry(plannedCreate: PlannedCreate): Promise<PaymentTry> {
  const { leaving, rules, run } = plannedCreate;
  const { direction } = leaving;
  const nowMs = run.session.clock.now();
  return tryNow(await evidenceNow(plannedCreate, null), { ...rules, direction, nowMs });
}

/** What its recording may meet: what has its key, and what may be about to leave. */
async function rivalsOf(plannedCreate: PlannedCreate): Promise<KeptRequest[]> {
  const { journal, reference, leaving, knownPayments } = plannedCreate;
  const sameKey = leaving.isOwnKey ? await journal.withKey(leaving.idempotencyKey) : [];
  const like = reference === null ? await twinsOf(plannedCreate, null) : await knownPayments.requests();
  return [...sameKey, ...like.filter(({ state }) => state === 'recorded')];
}

async function twinsOf({ journal, leaving }: PlannedCreate, ownRow: number | null): Promise<KeptRequest[]> {
  const twins = await journal.ofTwins(leaving);
  return twins.filter((twin) => twin.row !== ownRow && isSamePayment(leaving, twin));
}

/** The equal payment without a reference that was made within the last ten minutes; null where there is none. */
export async function recentTwin(plannedCreate: PlannedCreate, ownRow: number): Promise<KnownPayment | null> {
  const nowMs = plannedCreate.run.session.clock.now();
  const twins = (await twinsOf(plannedCreate, ownRow)).filter(({ settled }) => settled !== null);
  const payments = await paymentsOf(plannedCreate, twins);
  const isRecent = ({ atMs }: KnownPayment): boolean => atMs === null || nowMs - atMs <= NAMELESS_KEPT_MS;
  return payments.findLast(isRecent) ?? null;
}

/** Said once where the sandbox lets pass what is refused live. */
export function sandboxPassNote({ operation, status, amount, currency, atMs }: KnownPayment): string {
  const code = isFinal(status) ? 'reference_paid' : 'reference_pending';
  const known = [
    ...(amount === undefined ? [] : [`${amount} ${currency ?? ''}`.trimEnd()]),
    ...(atMs === null ? [] : [isoSeconds(atMs)]),
  ];
  const which = known.length === 0 ? '' : ` (${known.join(', ')})`;
  return `Operation ${String(operation)}${which} already has this reference. In live, svc refuses it (${code}). Add --as-live to refuse it here too.`;
}
