/** The parts of a running sandbox, and the function that writes a step of the state machine into its store. */
import type { Environment } from '../../contract/access.js';
import { type Clock, isoSeconds, type Random } from '../../runtime/clock.js';
import {
  bankReference,
  type ComingVerdict,
  type Context,
  applyEntry,
  type Transition,
} from '../machine/operation.js';
import type { Exchanged, RequestLog } from '../log/request-log.js';
import type { SandboxRequest } from '../message.js';
import type { KeysOfRefused } from '../default-code.js';
import type { Store } from '../store/store.js';
import { timePasses } from '../machine/passage.js';
import type { StoredCompany } from '../store/companies.js';
import { eventJson } from '../store/feed.js';
import type { StoredOperation } from '../store/operations.js';

export interface World {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** The one valid code. */
  readonly code: string;
  /** How long payouts and `direct_debit` stay processing. */
  readonly settleAfterMs: number;
  readonly keysOfRefused: KeysOfRefused;
  /** Accept `http://` on loopback as a webhook url. */
  readonly allowHttpWebhooks: boolean;
  readonly log: RequestLog;
  /** Requests that the log has only once they are over; with what they are to it when they were carried out. */
  readonly expected: Map<SandboxRequest, Exchanged | null>;
  /** A request of this transaction put another state in the place of everything. */
  replaced: boolean;
}

/** Sandbox time in milliseconds: the clock, and how far it was moved. Within a transaction of the store. */
export function sandboxTime({ clock, store }: World): number {
  return clock.now() + store.settings.clockOffsetMs();
}

/**
 * What a step of the machine may know of this world at that moment.
 * @param takeVerdict asked once, by the first step that asks the bank: an armed outcome is spent by that and by nothing else
 */
export function contextAt(
  { code, settleAfterMs, store }: World,
  environment: Environment,
  nowMs: number,
  takeVerdict: () => ComingVerdict | null = () => null,
): Context {
  let taken: ComingVerdict | null | undefined;
  return {
    nowMs,
    code,
    settleAfterMs,
    bankReference: () => bankReference(store.settings.nextBankReference(environment)),
    get verdict() {
      return (taken ??= takeVerdict());
    },
  };
}

/** A new operation. @param metadata as the caller wrote it, JSON without white space */
export function recordNew(
  world: World,
  company: StoredCompany,
  step: Transition,
  metadata: string,
  nowMs: number,
): StoredOperation {
  const stored = world.store.operations.insert(company, step.held, metadata);
  recordEffects(world, stored, step, nowMs);
  return stored;
}

/** An operation that changed. */
export function recordChange(
  world: World,
  before: StoredOperation,
  step: Transition,
  nowMs: number,
): StoredOperation {
  const stored = world.store.operations.update(before, step.held);
  recordEffects(world, stored, step, nowMs);
  return stored;
}

function recordEffects(world: World, stored: StoredOperation, step: Transition, nowMs: number): void {
  const { store, random } = world;
  const { company, row } = stored;
  // All movements of one step are in the operation's own currency.
  const currency = step.entries[0]?.currency;
  if (currency !== undefined) {
    let funds = store.money.funds(company, currency);
    for (const entry of step.entries) {
      funds = applyEntry(funds, entry);
      store.money.note(company, row, entry);
    }
    store.money.setFunds(company, currency, funds);
  }
  if (step.event === null) return;
  const id = random.uuid();
  const occurredIso = isoSeconds(nowMs);
  store.feed.append({ id, company, type: step.event, occurredIso, operation: row });
  const endpoint = store.webhooks.active(company);
  if (endpoint === undefined) return;
  const body = eventJson(id, step.event, occurredIso, stored.json);
  const delivery = { id: random.uuid(), company, event_id: id, type: step.event, body, url: endpoint.url };
  store.deliveries.enqueue(delivery, nowMs);
}

/**
 * Everything that time alone changes, each at its due moment and in order (section 3): windows that ended and answers of the bank that
 * arrived by then. Within a transaction of the store.
 */
export function bringUpTo(world: World, nowMs: number): void {
  const { operations, companies } = world.store;
  for (let stored = operations.nextDue(nowMs); stored !== undefined; stored = operations.nextDue(nowMs)) {
    const held = stored.held();
    const dueMs = held.hidden.due_at ?? nowMs;
    const step = timePasses(held, contextAt(world, companies.environmentOf(stored.company), dueMs));
    if (step === null) throw new Error(`operation ${held.operation.id} is due and nothing happens to it`);
    recordChange(world, stored, step, dueMs);
  }
}
