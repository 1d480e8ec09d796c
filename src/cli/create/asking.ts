/** Checks a create against the known payments of its reference, or against equal creates if it has none. */
import { isOfCompany, NO_EVIDENCE } from '../../bulk/check/evidence.js';
import { paymentsIn, type KnownPayment, tryOfPayment } from '../../bulk/check/payments.js';
import { isFinal } from '../../contract/operation.js';
import { isSamePayment } from '../../journal/precedence.js';
import { type JournalRequest, NAMELESS_KEPT_MS } from '../../journal/request.js';
import { isoSeconds } from '../../runtime/clock.js';
import type { PaymentTry } from '../../bulk/key.js';
import type { PlannedCreate } from './creating.js';
import { readWholeFeed } from './from-events.js';
import { agreesWith } from './standing-failure.js';
import { countsFor, type CreateVerdict, isSettledSingle, verdictOf } from './verdict.js';

/**
 * Returns the payments of the create's reference. Without a reference: the equal creates of the journal that are not settled.
 * @param ownRow the create's own row in the journal; null before it is recorded
 */
export async function paymentsFor(create: PlannedCreate, ownRow: number | null): Promise<KnownPayment[]> {
  if (create.reference === null) {
    const twins = await twinsOf(create, ownRow);
    return paymentsOf(
      create,
      twins.filter(({ state }) => state !== 'settled'),
    );
  }
  return paymentsIn(await currentEvidence(create, ownRow), create.unsent.direction);
}

async function paymentsOf({ unsent, knownPayments }: PlannedCreate, twins: JournalRequest[]) {
  const singles = (await knownPayments.singles.of(twins)).filter(isOfCompany);
  return paymentsIn({ ...NO_EVIDENCE, singles }, unsent.direction);
}

/** Asks the service first for the status of pending operations that would refuse the create: they may have failed since. */
async function currentEvidence({ unsent, rules, knownPayments }: PlannedCreate, ownRow: number | null) {
  const evidence = await knownPayments.evidence(ownRow);
  const isAsked = (payment: KnownPayment): boolean =>
    countsFor(payment, rules) && (rules.isStrict || !isSettledSingle(payment));
  const isNews = await knownPayments.refreshPending(paymentsIn(evidence, unsent.direction).filter(isAsked));
  return isNews ? knownPayments.evidence(ownRow) : evidence;
}

/** @param ownRow as for `paymentsFor` */
export async function decideNow(create: PlannedCreate, ownRow: number | null): Promise<CreateVerdict> {
  const payments = await paymentsFor(create, ownRow);
  const { idempotencyKey: key, isOwnKey } = create.unsent;
  // A request with this key is this create, sent before, and does not refuse it. With a derived key that holds only until it made an operation.
  const isItself = (one: KnownPayment): boolean =>
    one.source.kind === 'request' &&
    one.source.key === key &&
    (isOwnKey || one.operation === null) &&
    agreesWith(one, { about: create.unsent });
  const others = ownRow === null ? payments.filter((one) => !isItself(one)) : payments;
  return verdictOf(others, create.rules);
}

/**
 * Returns the try that a derived key is made of; null if the key is not derived. Reads the feed to its end first, because only the feed shows what
 * another machine has paid.
 * @throws Failure `unsafe` (`feed_unreadable`)
 */
export async function chooseTry(create: PlannedCreate): Promise<PaymentTry | null> {
  const { isDerived, options, knownPayments } = create;
  if (isDerived) {
    if (!options.skipsFeed) await readWholeFeed(knownPayments);
    return nextTry(create);
  }
  // Finds out which company each request belongs to that `journal.record` may find in the way, because `record` cannot ask the service.
  const { journal, reference, unsent } = create;
  const sameKey = unsent.isOwnKey ? await journal.withKey(unsent.idempotencyKey) : [];
  const like = reference === null ? await twinsOf(create, null) : await knownPayments.requests();
  await knownPayments.singles.of([...sameKey, ...like.filter(({ state }) => state === 'recorded')]);
  return null;
}

/** Returns the try after all that are known to have failed, without a read of the feed. */
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

/** Returns the last equal payment without a reference that is at most ten minutes old, or has no time; null if none is. */
export async function recentTwin(create: PlannedCreate, ownRow: number): Promise<KnownPayment | null> {
  const nowMs = create.run.session.clock.now();
  const twins = (await twinsOf(create, ownRow)).filter(({ settled }) => settled !== null);
  const payments = await paymentsOf(create, twins);
  const isRecent = ({ atMs }: KnownPayment): boolean => atMs === null || nowMs - atMs <= NAMELESS_KEPT_MS;
  return payments.findLast(isRecent) ?? null;
}

/** The note for a create that the sandbox lets through and live would refuse. */
export function sandboxPassNote({ operation, status, amount, currency, atMs }: KnownPayment): string {
  const code = isFinal(status) ? 'reference_paid' : 'reference_pending';
  const facts = [
    ...(amount === undefined ? [] : [`${amount} ${currency ?? ''}`.trimEnd()]),
    ...(atMs === null ? [] : [isoSeconds(atMs)]),
  ];
  const which = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  return `Operation ${String(operation)}${which} already has this reference. In live, svc refuses it (${code}). Add --as-live to refuse it here too.`;
}
