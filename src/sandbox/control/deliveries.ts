/** Shows deliveries, sends one again, and sends a `test.ping` (section 6). */
import { isoSeconds } from '../../runtime/clock.js';
import type { Delivery } from '../store/deliveries.js';
import { eventJson } from '../store/feed.js';
import { nothing, ping } from './bodies.js';
import { invalid, readBody, type ControlHandler } from './call.js';
import { DEFAULT_COMPANY } from './keys.js';
import { sampleOperation } from './sample.js';

export const listsDeliveries: ControlHandler = ({ world }) =>
  JSON.stringify({ deliveries: world.store.deliveries.all().map(shown) });

/** Starts the schedule anew, whatever became of it before; the attempts so far stay listed. */
export const resendsDelivery: ControlHandler = (call) => {
  const body = readBody(call, nothing);
  if ('refusal' in body) return body;
  const { store } = call.world;
  const delivery = store.deliveries.find(call.id);
  if (delivery === undefined) return { refusal: 'not_found' };
  const { url } = store.webhooks.active(delivery.company) ?? delivery;
  const { attempts } = delivery;
  const change = { url, status: 'pending', attempts, wait: 0, next_attempt_at: call.nowMs } as const;
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

function shown({
  id,
  event_id: eventId,
  type,
  url,
  status,
  attempts,
  next_attempt_at: nextMs,
}: Delivery): object {
  const next = nextMs === null ? null : isoSeconds(nextMs);
  return { id, event_id: eventId, type, url, status, attempts, next_attempt_at: next };
}
