import { SCOPES, type Environment } from '../../contract/access.js';
import { type Clock, isoSeconds, type Random } from '../../runtime/clock.js';
import type { FixedRandom } from './fixed-random.js';
import { formatBankReference, applyEntry } from '../machine/operation.js';
import type { PlannedVerdict, Context, Transition } from '../machine/operation.js';
import type { ExchangeRecord, RequestLog } from '../log/request-log.js';
import type { SandboxRequest } from '../message.js';
import type { KeysOfRefused } from '../../contract/sandbox-code.js';
import { DEFAULT_COMPANY } from '../store/companies.js';
import type { FixedSetting, Store } from '../store/store.js';
import { passTime } from '../machine/passage.js';
import { eventJson } from '../store/feed.js';
import type { StoredOperation } from '../store/operations.js';

export interface World {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly code: string;
  readonly settleAfterMs: number;
  readonly keysOfRefused: KeysOfRefused;
  readonly allowHttpWebhooks: boolean;
  readonly log: RequestLog;
  readonly heldEntries: Map<SandboxRequest, ExchangeRecord | null>;
  isReplaced: boolean;
  era: number;
  readonly start: SandboxStart;
}

/** What a reset restores. */
export interface SandboxStart {
  readonly nowMs: number | null;
  readonly liveKey: string | null;
  readonly idSource: FixedRandom | null;
  readonly fixedSettings: Readonly<Partial<Record<FixedSetting, string>>>;
  seed: SavedState | null;
}

export interface SavedState extends Readonly<Record<'apiKey' | 'cursorSecret', string>> {
  readonly nowMs: number;
  readonly movedUntilMs: number;
  readonly tables: Parameters<Store['snapshot']['replace']>[0];
}

export function beginEra(world: World): void {
  const { companies, ...store } = world.store;
  const { liveKey, idSource } = world.start;
  world.era += 1;
  if (liveKey !== null && companies.bearerOf(liveKey) === undefined)
    companies.addKey(liveKey, companies.ensure('live', DEFAULT_COMPANY), SCOPES);
  if (idSource === null) return;
  store.restartNumbers();
  // The ids of the store are the seed of the new ids, so that no id is made twice.
  idSource.restart(store.ids());
}

export const sandboxTime = ({ clock, store }: World): number => clock.now() + store.settings.clockOffsetMs();

export function contextAt(
  { code, settleAfterMs, store }: World,
  environment: Environment,
  nowMs: number,
  takeVerdict: () => PlannedVerdict | null = () => null,
): Context {
  let verdict: PlannedVerdict | null | undefined;
  return {
    nowMs,
    code,
    settleAfterMs,
    nextBankReference: () => formatBankReference(store.settings.nextBankReference(environment)),
    get verdict() {
      return (verdict ??= takeVerdict());
    },
  };
}

export function recordChange(world: World, before: StoredOperation, step: Transition, nowMs: number) {
  const stored = world.store.operations.update(before, step.record);
  recordEffects(world, stored, step, nowMs);
  return stored;
}

export function recordEffects(world: World, stored: StoredOperation, step: Transition, nowMs: number): void {
  const { store, random } = world;
  const { row } = stored;
  const { id: company } = stored.company;
  // All entries of a step have the same currency.
  const currency = step.entries[0]?.currency;
  if (currency !== undefined) {
    let funds = store.money.funds(company, currency);
    for (const entry of step.entries) {
      funds = applyEntry(funds, entry);
      store.money.addEntry(company, row, entry);
    }
    store.money.setFunds(company, currency, funds);
  }
  if (step.event === null) return;
  const id = random.uuid();
  const occurredIso = isoSeconds(nowMs);
  store.feed.append(company, id, step.event, occurredIso, row);
  const endpoint = store.webhooks.active(company);
  if (endpoint === undefined) return;
  const body = eventJson(id, step.event, occurredIso, stored.json);
  const delivery = { id: random.uuid(), company, event_id: id, type: step.event, body, url: endpoint.url };
  store.deliveries.enqueue(delivery, nowMs);
}

export function applyDueChanges(world: World, nowMs: number) {
  const counts = { expiredCount: 0, settledCount: 0 };
  const { operations } = world.store;
  for (let stored = operations.nextDue(nowMs); stored !== undefined; stored = operations.nextDue(nowMs)) {
    const record = stored.record();
    const dueMs = record.hidden.due_at ?? nowMs;
    const step = passTime(record, contextAt(world, stored.company.environment, dueMs));
    if (step === null) throw new Error(`operation ${record.operation.id} is due and nothing happens to it`);
    recordChange(world, stored, step, dueMs);
    counts[step.record.operation.failure?.code === 'expired' ? 'expiredCount' : 'settledCount'] += 1;
  }
  return counts;
}
