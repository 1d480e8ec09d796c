/** The queue of deliveries: which leave now, and where the result of each attempt is recorded. */
import { LIMITS } from '../../contract/limits.js';
import { bringUpTo, sandboxTime, type World } from '../engine/world.js';
import type { CompanyQueue, DueDelivery } from '../store/deliveries.js';
import {
  afterAttempt,
  meetFault,
  type OutgoingDelivery,
  type ReceiverAnswer,
  select,
  shareOf,
} from './attempt.js';

const PREVIOUS_SECRET_MS = LIMITS.previousSecretHours * 3_600_000;

export interface Finished {
  readonly outgoing: OutgoingDelivery;
  readonly outcome: ReceiverAnswer;
}

interface Round {
  /** What leaves now; it is owed until its outcome is recorded. */
  readonly deliveries: readonly OutgoingDelivery[];
  /** How long until something happens by itself, in ms; null: nothing does, but for what is under way. */
  readonly nextInMs: number | null;
  /** The ids of those that a fault keeps back from now on. */
  readonly heldBack: readonly string[];
}

/** Every method is one transaction, durable when it returns. @throws DatabaseUnusable where the file cannot be used */
export interface Outbox {
  /** Records outcomes, lets everything happen that time has brought, and takes what is due beside what is `underWay`. */
  round(finished: readonly Finished[], underWay: readonly OutgoingDelivery[]): Round;
  record(finished: readonly Finished[]): void;
}

export function outboxOf(world: World): Outbox {
  return {
    round: (finished, underWay) => {
      if (finished.length === 0 && !world.store.isWaiting())
        return { deliveries: [], nextInMs: null, heldBack: [] };
      return world.store.transaction(() => {
        record(world, finished);
        return take(world, underWay);
      });
    },
    record: (finished) => world.store.transaction(() => record(world, finished)),
  };
}

function record({ store: { deliveries }, random }: World, finished: readonly Finished[]): void {
  for (const { outgoing, outcome } of finished) {
    const { delivery: before, atMs, url, fault } = outgoing;
    // By its id: a reset may have given the row to another delivery.
    const delivery = deliveries.find(before.id);
    if (delivery === undefined) continue;
    const answer = fault === null ? outcome : { ...outcome, fault };
    const after = afterAttempt(delivery, answer, atMs, random.fraction());
    const isAsTaken = delivery.next_attempt_at === before.next_attempt_at && delivery.wait === before.wait;
    // One that was sent again on request meanwhile keeps its new schedule.
    deliveries.update(delivery, isAsTaken ? { ...after, url } : { ...delivery, attempts: after.attempts });
    deliveries.letGoBehind(delivery, atMs);
  }
}

function take(world: World, underWay: readonly OutgoingDelivery[]): Round {
  const { deliveries, faults, operations, settings } = world.store;
  const nowMs = sandboxTime(world);
  bringUpTo(world, nowMs);
  const movedUntilMs = settings.movedUntilMs();
  const queues = deliveries.queues();
  const due = queues.filter(({ next_attempt_at: firstMs }) => firstMs <= nowMs);
  const nextAts = [operations.nextDueAt()];
  for (const queue of queues) if (!due.includes(queue)) nextAts.push(queue.next_attempt_at);
  const taken: OutgoingDelivery[] = [];
  const heldBack: string[] = [];
  // The company with the fewest deliveries in progress comes first: a slow receiver does not take every free place. Then the longest wait.
  const busy = new Map<number, number>();
  for (const { delivery } of underWay) busy.set(delivery.company, (busy.get(delivery.company) ?? 0) + 1);
  const busyOf = ({ company }: CompanyQueue): number => busy.get(company) ?? 0;
  due.sort((a, b) => busyOf(a) - busyOf(b) || a.next_attempt_at - b.next_attempt_at);
  for (const [index, { company }] of due.entries()) {
    const share = shareOf(company, [...underWay, ...taken], due.length - index);
    if (share.room === 0) continue;
    const owed = deliveries.owed(company, share.deliveries.length + share.room + 1);
    const { chosen, nextAtMs } = select(owed, share, nowMs, movedUntilMs);
    nextAts.push(nextAtMs);
    for (const { delivery, atMs } of chosen) {
      const leaving = passFaults(world, delivery, atMs);
      if (leaving === null) heldBack.push(delivery.id);
      else taken.push(pack(world, leaving, atMs));
    }
  }
  if (due.length === 0) faults.drop(nowMs);
  const known = nextAts.filter((at) => at !== null);
  const nextInMs = known.length === 0 ? null : Math.max(0, Math.min(...known) - nowMs);
  return { deliveries: taken, nextInMs, heldBack };
}

/** As it leaves, with the mark of the fault that it met; null where that keeps it back. One that met a fault meets no other. */
function passFaults({ store }: World, delivery: DueDelivery, atMs: number): DueDelivery | null {
  const { deliveries, faults } = store;
  const { company, id, fault: mark } = delivery;
  if (mark === 'hold' || mark === 'reorder')
    return {
      ...deliveries.update(delivery, { ...delivery, fault: 'free' }),
      next_attempt_at: delivery.next_attempt_at,
    };
  const armed = mark === null ? faults.ofDeliveries(atMs) : [];
  const isPassing = deliveries.isPassed(company);
  const meeting = meetFault(delivery, armed, atMs, isPassing);
  let leaving = delivery;
  if (meeting !== null) {
    const { met, change } = meeting;
    faults.spend(met);
    deliveries.update(delivery, { ...delivery, ...change });
    if (change.fault === 'hold' || change.fault === 'reorder') return null;
    leaving = { ...delivery, fault: change.fault };
  }
  if (isPassing) deliveries.letPass(company, id);
  return leaving;
}

/** A retry goes to the url that is active at that moment, signed by its secret, and by the one that it replaced within 24 h. */
function pack({ store: { webhooks } }: World, delivery: DueDelivery, atMs: number): OutgoingDelivery {
  const { company, type, fault: mark } = delivery;
  const endpoint = webhooks.active(company);
  if (endpoint === undefined) throw new Error(`delivery ${delivery.id} belongs to a company without a URL`);
  const previous =
    type === 'test.ping' ? undefined : webhooks.previousSecret(company, atMs - PREVIOUS_SECRET_MS);
  const secrets = previous === undefined ? [endpoint.secret] : [endpoint.secret, previous];
  const packed = { delivery, atMs, url: endpoint.url };
  // A secret that no company has.
  if (mark === 'bad-signature') return { ...packed, secrets: [`${endpoint.secret}-of-nobody`], fault: mark };
  return { ...packed, secrets, fault: mark === 'again' ? 'duplicate' : null };
}
