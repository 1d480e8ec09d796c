/** Shows deliveries, sends one again, and sends a `test.ping` (section 6). */
import { ENVIRONMENTS } from '../../contract/access.js';
import type { Operation } from '../../contract/operation-members.js';
import { object, oneOf, optional } from '../../contract/shape.js';
import { isoSeconds } from '../../runtime/clock.js';
import { companyPrefix, concept } from '../machine/operation.js';
import type { StoredAttempt, StoredDelivery } from '../store/deliveries.js';
import { eventJson } from '../store/feed.js';
import { invalid, nothing, readBody, type ControlHandler } from './call.js';
import { explainSignature } from './explanation.js';
import { pageOf, askedPage } from './pages.js';
import { companyName, DEFAULT_COMPANY } from './whole.js';

const ping = object({ company: optional(companyName), environment: optional(oneOf(ENVIRONMENTS)) });

/** Every one, or a page where one is asked for. */
export const listsDeliveries: ControlHandler = (call) => {
  const { deliveries } = call.world.store;
  if (!/(?:^|&)(?:after|before|limit)=/.test(call.query))
    return JSON.stringify({ deliveries: deliveries.all().map(shown) });
  const asked = askedPage(call, [], (id) => deliveries.find(id)?.row ?? null);
  if ('refusal' in asked) return asked;
  const { from, limit } = asked;
  const page = pageOf(deliveries.page(from, limit + 1), limit, ({ id }) => id);
  return JSON.stringify({ deliveries: page.elements.map(shown), next: page.next });
};

export const showsDelivery: ControlHandler = ({ world, id }) => {
  const delivery = world.store.deliveries.find(id);
  return delivery === undefined ? { refusal: 'not_found' } : JSON.stringify(shown(delivery));
};

/** The last attempt, as whoever verifies it sees it. */
export const explainsDelivery: ControlHandler = ({ world, id, nowMs }) => {
  const { deliveries, webhooks } = world.store;
  const delivery = deliveries.find(id);
  if (delivery === undefined) return { refusal: 'not_found' };
  return JSON.stringify(explainSignature(delivery, webhooks.all(delivery.company), nowMs));
};

/** Starts the schedule anew, whatever became of it before; the attempts so far stay listed. */
export const resendsDelivery: ControlHandler = (call) => {
  const body = readBody(call, nothing);
  if ('refusal' in body) return body;
  const { store } = call.world;
  const delivery = store.deliveries.find(call.id);
  if (delivery === undefined) return { refusal: 'not_found' };
  const { url } = store.webhooks.active(delivery.company) ?? delivery;
  const { attempts, next_attempt_at: dueMs } = delivery;
  // Never the moment of the attempt that is on its way, by whose end this one would be forgotten.
  const next = Math.min(call.nowMs, dueMs === null ? Infinity : dueMs - 1);
  const change = { url, status: 'pending', attempts, wait: 0, next_attempt_at: next } as const;
  return JSON.stringify(shown(store.deliveries.update(delivery, change)));
};

/** Refused where the company has no url yet. */
export const pings: ControlHandler = (call) => {
  const body = readBody(call, ping);
  if ('refusal' in body) return body;
  const { company: name = DEFAULT_COMPANY, environment = 'sandbox' } = body.value;
  const { store, random } = call.world;
  const company = store.companies.find(environment, name)?.id;
  const endpoint = company === undefined ? undefined : store.webhooks.active(company);
  if (company === undefined || endpoint === undefined)
    return invalid([{ field: 'company', code: 'invalid' }]);
  const [id, eventId, nowIso] = [random.uuid(), random.uuid(), isoSeconds(call.nowMs)];
  const data = JSON.stringify(sampleOperation(name, nowIso));
  const event = eventJson(eventId, 'test.ping', nowIso, data);
  store.deliveries.enqueue(
    { id, company, event_id: eventId, type: 'test.ping', body: event, url: endpoint.url },
    call.nowMs,
  );
  return JSON.stringify({ delivery_id: id });
};

function shown(delivery: StoredDelivery): object {
  const { id, event_id: eventId, type, url, status, body, next_attempt_at: nextMs } = delivery;
  const next = nextMs === null ? null : isoSeconds(nextMs);
  const attempts = delivery.attempts.map((attempt) => shownAttempt(attempt, body));
  return { id, event_id: eventId, type, url, status, attempts, next_attempt_at: next };
}

/** Both sides; of one that was made before they were kept, neither. */
function shownAttempt({ at, status, error, headers, answer, ms }: StoredAttempt, body: string): object {
  return {
    ...{ at, status, error },
    request: headers === undefined ? null : { headers, body },
    answer: answer === undefined || answer === null ? null : { status, ...answer },
    ms: ms ?? null,
  };
}

const ZERO_ID = '00000000-0000-0000-0000-000000000000';

/** What a `test.ping` carries: no money, no outcome, every field that is always present (section 6). */
function sampleOperation(company: string, nowIso: string): Operation {
  return {
    id: ZERO_ID,
    type: 'payout',
    country: 'VE',
    currency: 'VES',
    method: 'mobile_payment',
    amount: '0.00',
    status: 'pending',
    pending_reason: 'processing',
    bank_reference: null,
    failure: null,
    metadata: { test: true },
    purpose: 'remittance',
    concept: concept('payout', companyPrefix(company), ZERO_ID),
    created_by: 'company',
    created_at: nowIso,
    updated_at: nowIso,
  };
}
