import { ENVIRONMENTS, ISSUED_KEY_PREFIX, SCOPES } from '../../contract/access.js';
import { CREATORS } from '../../contract/operation.js';
import { readDuration } from '../../contract/notation.js';
import { list, number, object, oneOf, optional, textLike } from '../../contract/shape.js';
import { isoSeconds } from '../../runtime/clock.js';
import { applyDueChanges, type World } from '../engine/world.js';
import { type ControlHandler, durationShape, END_OF_TIME_MS, fieldRefusal, isoOrNull } from './call.js';
import { withBody } from './call.js';
import type { ClockMove } from './clock-move.js';
import { balancesOf } from '../http/lists.js';
import { DEFAULT_COMPANY } from '../store/companies.js';

export const showStatus: ControlHandler = ({ world, nowMs }) =>
  JSON.stringify({ now: isoSeconds(nowMs), code: world.code, ...world.store.counts() });

const moveShape = object({ advance: optional(durationShape), advance_seconds: optional(number(0)) });

export const readClock: ControlHandler = ({ world, nowMs }) =>
  JSON.stringify({ now: isoSeconds(nowMs), next_due: nextChange(world) });

export const moveClock = withBody(moveShape, ({ world, nowMs }, { advance, advance_seconds: seconds }) => {
  const { settings } = world.store;
  const field = seconds === undefined ? 'advance' : 'advance_seconds';
  if (seconds === undefined && advance === undefined)
    return fieldRefusal(
      'advance_seconds',
      'Add advance, a duration such as 30s, 5m, 48h or 2d, or advance_seconds, a number.',
      'required',
    );
  if (seconds !== undefined && advance !== undefined)
    return fieldRefusal(field, 'Give advance or advance_seconds, not both.');
  const advanceMs = seconds === undefined ? (readDuration(advance ?? '') ?? 0) : Math.round(seconds * 1000);
  const thenMs = nowMs + advanceMs;
  if (thenMs > END_OF_TIME_MS) return fieldRefusal(field, 'The clock ends with the year 9999.');
  settings.setClockOffsetMs(settings.clockOffsetMs() + advanceMs);
  settings.setMovedUntilMs(thenMs);
  const { expiredCount, settledCount } = applyDueChanges(world, thenMs);
  const dueCount = world.store.deliveries.countDue(thenMs);
  const move: ClockMove = {
    ...(expiredCount > 0 && { expired_payins: expiredCount }),
    ...(settledCount > 0 && { settled_operations: settledCount }),
    ...(dueCount > 0 && { due_deliveries: dueCount }),
  };
  return JSON.stringify({ now: isoSeconds(thenMs), ...move });
});

export const companyNameShape = textLike(/^[^\p{C}]{1,64}$/u, 'a name of 1 to 64 printable characters');

const newKeyShape = object({
  company: optional(companyNameShape),
  scopes: optional(list(oneOf(SCOPES))),
  environment: optional(oneOf(ENVIRONMENTS)),
  created_by: optional(oneOf(CREATORS)),
});

export const makeKey = withBody(newKeyShape, ({ world: { store, random } }, body) => {
  const { company = DEFAULT_COMPANY, scopes = SCOPES, environment = 'sandbox' } = body;
  const key = ISSUED_KEY_PREFIX[environment] + random.hex(24);
  store.companies.addKey(key, store.companies.ensure(environment, company), scopes, body.created_by);
  return JSON.stringify({ api_key: key });
});

export type DueChange = Readonly<Record<'at' | 'what', string>> & { readonly reference?: string };

function nextChange({ store: { operations, deliveries } }: World): DueChange | null {
  const operation = operations.firstDue();
  const operationMs = operation?.record().hidden.due_at ?? null;
  const delivery = deliveries.nextScheduled();
  const deliveryMs = delivery?.next_attempt_at ?? null;
  if (operation !== undefined && operationMs !== null && (deliveryMs === null || operationMs <= deliveryMs)) {
    const { id, type, pending_reason: reason, reference } = operation.record().operation;
    const isExpiry = reason === 'awaiting_payment';
    const what = isExpiry ? `${type} ${id} expires` : `the bank answers about ${type} ${id}`;
    return { at: roundUpToSecond(operationMs), what, ...(reference !== undefined && { reference }) };
  }
  if (delivery === undefined || deliveryMs === null) return null;
  const what = `attempt ${delivery.attempts.length + 1} of delivery ${delivery.id} (${delivery.type})`;
  return { at: roundUpToSecond(deliveryMs), what };
}

const roundUpToSecond = (ms: number): string => isoSeconds(Math.ceil(ms / 1000) * 1000);

export const listCompanies: ControlHandler = ({ world: { store } }) => {
  const companies = store.companies.all().map((company) => ({
    ...{ name: company.name, environment: company.environment },
    keys: store.companies
      .keysOf(company)
      .map(({ key, scopes, createdBy }) => ({ api_key: key, scopes, created_by: createdBy })),
    balances: balancesOf(store.money, company.id),
    webhooks: store.webhooks.all(company.id).map(({ id, url, created_at, replaced_at: replacedMs }) => {
      return { id, url, created_at, replaced_at: isoOrNull(replacedMs) };
    }),
  }));
  return JSON.stringify({ companies });
};
