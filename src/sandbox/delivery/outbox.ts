import { applyDueChanges, sandboxTime, type World } from '../engine/world.js';
import type { CompanyQueue, DueDelivery } from '../store/deliveries.js';
import { PREVIOUS_SECRET_MS } from '../store/feed.js';
import { applyAnswer, applyFault, selectAttempts, shareOf } from './attempt.js';
import type { OutgoingDelivery, ReceiverAnswer } from './attempt.js';

export interface AttemptOutcome {
  readonly outgoing: OutgoingDelivery;
  readonly outcome: ReceiverAnswer;
}

export type Outbox = ReturnType<typeof outboxOf>;

export const outboxOf = (world: World) => ({
  isCurrent: ({ era }: OutgoingDelivery): boolean => era === world.era,
  runRound: (outcomes: readonly AttemptOutcome[], inProgress: readonly OutgoingDelivery[]) => {
    if (outcomes.length === 0 && !world.store.hasScheduled())
      return { deliveries: [], nextInMs: null, heldIds: [] };
    return world.store.transaction(() => {
      recordAll(world, outcomes);
      return takeDue(world, inProgress);
    });
  },
  record: (outcomes: readonly AttemptOutcome[]) => world.store.transaction(() => recordAll(world, outcomes)),
});

function recordAll({ store: { deliveries }, random, era }: World, outcomes: readonly AttemptOutcome[]): void {
  for (const { outgoing, outcome } of outcomes) {
    const { delivery: snapshot, atMs, url, fault } = outgoing;
    if (outgoing.era !== era) continue;
    const delivery = deliveries.find(snapshot.id);
    if (delivery === undefined) continue;
    const answer = fault === null ? outcome : { ...outcome, fault };
    const change = applyAnswer(delivery, answer, atMs, random.fraction());
    const isSameSchedule =
      delivery.next_attempt_at === snapshot.next_attempt_at && delivery.wait === snapshot.wait;
    const newState = isSameSchedule ? { ...change, url } : { ...delivery, attempts: change.attempts };
    deliveries.update(delivery, newState);
    deliveries.releaseBehind(delivery, atMs);
  }
}

function takeDue(world: World, inProgress: readonly OutgoingDelivery[]) {
  const { deliveries, faults, operations, settings } = world.store;
  const nowMs = sandboxTime(world);
  applyDueChanges(world, nowMs);
  const movedUntilMs = settings.movedUntilMs();
  const queues = deliveries.queues();
  const dueQueues = queues.filter(({ next_attempt_at: firstMs }) => firstMs <= nowMs);
  const nextAts = [operations.nextDueAt()];
  for (const queue of queues) if (!dueQueues.includes(queue)) nextAts.push(queue.next_attempt_at);
  const attempts: OutgoingDelivery[] = [];
  const heldIds: string[] = [];
  const loads = new Map<number, number>();
  for (const { delivery } of inProgress) loads.set(delivery.company, (loads.get(delivery.company) ?? 0) + 1);
  const loadOf = ({ company }: CompanyQueue): number => loads.get(company) ?? 0;
  dueQueues.sort((a, b) => loadOf(a) - loadOf(b) || a.next_attempt_at - b.next_attempt_at);
  for (const [index, { company }] of dueQueues.entries()) {
    const share = shareOf(company, [...inProgress, ...attempts], dueQueues.length - index);
    if (share.slotCount === 0) continue;
    const queue = deliveries.queueOf(company, share.deliveries.length + share.slotCount + 1);
    const { dueAttempts, nextAtMs } = selectAttempts(queue, share, nowMs, movedUntilMs);
    nextAts.push(nextAtMs);
    for (const { delivery, atMs } of dueAttempts) {
      const readyDelivery = applyArmedFault(world, delivery, atMs);
      if (readyDelivery === null) heldIds.push(delivery.id);
      else attempts.push(prepareAttempt(world, readyDelivery, atMs));
    }
  }
  if (dueQueues.length === 0) faults.removeExpired(nowMs);
  const times = nextAts.filter((at) => at !== null);
  const nextInMs = times.length === 0 ? null : Math.max(0, Math.min(...times) - nowMs);
  return { deliveries: attempts, nextInMs, heldIds };
}

function applyArmedFault({ store }: World, delivery: DueDelivery, atMs: number): DueDelivery | null {
  const { deliveries, faults } = store;
  const { company, id, fault: mark } = delivery;
  let changedDelivery = delivery;
  if (mark === 'hold' || mark === 'reorder') deliveries.update(delivery, { ...delivery, fault: 'free' });
  const isPassing = deliveries.hasReordered(company);
  const effect = applyFault(delivery, mark === null ? faults.ofDeliveries(atMs) : [], atMs, isPassing);
  if (effect !== null) {
    const { armedFault, change } = effect;
    faults.useUp(armedFault);
    deliveries.update(delivery, { ...delivery, ...change });
    if (change.fault === 'hold' || change.fault === 'reorder') return null;
    changedDelivery = { ...delivery, fault: change.fault };
  }
  if (isPassing) deliveries.putReorderedBehind(company, id);
  return changedDelivery;
}

function prepareAttempt({ store, era }: World, delivery: DueDelivery, atMs: number): OutgoingDelivery {
  const { company, type, fault: mark } = delivery;
  const endpoint = store.webhooks.active(company);
  if (endpoint === undefined) throw new Error(`delivery ${delivery.id} belongs to a company without a URL`);
  const oldSecret =
    type === 'test.ping' ? undefined : store.webhooks.previousSecret(company, atMs - PREVIOUS_SECRET_MS);
  const secrets = oldSecret === undefined ? [endpoint.secret] : [endpoint.secret, oldSecret];
  const attempt = { delivery, atMs, url: endpoint.url, era };
  if (mark === 'bad-signature') return { ...attempt, secrets: [`${endpoint.secret}-of-nobody`], fault: mark };
  if (mark === 'hold' || mark === 'reorder') return { ...attempt, secrets, fault: mark };
  return { ...attempt, secrets, fault: mark === 'again' ? 'duplicate' : null };
}
