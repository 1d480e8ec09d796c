import { ENVIRONMENTS } from '../../contract/access.js';
import type { Operation } from '../../contract/operation-members.js';
import { object, oneOf, optional } from '../../contract/shape.js';
import { isoSeconds } from '../../runtime/clock.js';
import { companyPrefixOf, conceptOf } from '../machine/operation.js';
import { DELIVERY_STATUSES, type StoredAttempt, type StoredDelivery } from '../store/deliveries.js';
import { eventJson, PREVIOUS_SECRET_MS, type RegisteredUrl } from '../store/feed.js';
import type { NotAnsweredReason } from '../../runtime/transport.js';
import { environmentOf, environmentRefusal, fieldRefusal, isoOrNull, noBody, idRefusal } from './call.js';
import { pageOf, readPage, withBody, type ControlHandler } from './call.js';
import { DEFAULT_COMPANY } from '../store/companies.js';
import { companyNameShape } from './whole.js';
import { DELIVERY_HEADERS, sign, type Event } from '../../contract/events.js';
import { LIMITS } from '../../contract/limits.js';

const pingShape = object({ company: optional(companyNameShape), environment: optional(oneOf(ENVIRONMENTS)) });

const FILTER_NAMES = ['status', 'operation', 'search', 'company', 'environment', 'bodies'] as const;

export const listDeliveries: ControlHandler = (call) => {
  const { deliveries } = call.world.store;
  const pageQuery = readPage(call, FILTER_NAMES, (id) => deliveries.find(id)?.row ?? null);
  if ('refusal' in pageQuery) return pageQuery;
  const { status: statusText, operation, search = null, company = null, bodies = 'true' } = pageQuery.values;
  const status = statusText === undefined ? null : DELIVERY_STATUSES.find((one) => one === statusText);
  if (status === undefined)
    return fieldRefusal('status', `status must be one of ${DELIVERY_STATUSES.join(', ')}.`);
  const environment = environmentOf(pageQuery.values.environment);
  if (environment === undefined) return environmentRefusal;
  if (!['true', 'false'].includes(bodies)) return fieldRefusal('bodies', 'bodies must be true or false.');
  const view = bodies === 'true' ? deliveryView : deliveryRow;
  const filter = { status, operation: operation?.toLowerCase() ?? null, company, environment, search };
  if (!/(?:^|&)(?:after|before|limit|order)=/.test(call.query))
    return JSON.stringify({ deliveries: deliveries.page({ after: 0 }, filter, -1).map(view) });
  const { from, limit } = pageQuery;
  const page = pageOf(deliveries.page(from, filter, limit + 1), limit, ({ id }) => id);
  return JSON.stringify({ deliveries: page.elements.map(view), next: page.next });
};

export const showDelivery: ControlHandler = ({ world, id }) => {
  const delivery = world.store.deliveries.find(id);
  return delivery === undefined ? idRefusal('delivery', id) : JSON.stringify(deliveryView(delivery));
};

export const explainDelivery: ControlHandler = ({ world, id, nowMs }) => {
  const delivery = world.store.deliveries.find(id);
  if (delivery === undefined) return idRefusal('delivery', id);
  return JSON.stringify(explainSignature(delivery, world.store.webhooks.all(delivery.company), nowMs));
};

export const resendDelivery = withBody(noBody, ({ world: { store }, id, nowMs }) => {
  const delivery = store.deliveries.find(id);
  if (delivery === undefined) return idRefusal('delivery', id);
  const { url } = store.webhooks.active(delivery.company) ?? delivery;
  const { attempts, next_attempt_at: dueMs } = delivery;
  // `next_attempt_at` must change, because an attempt in progress overwrites an unchanged schedule.
  const nextMs = dueMs === nowMs ? nowMs - 1 : nowMs;
  const change = { url, status: 'pending', attempts, wait: 0, next_attempt_at: nextMs, fault: null } as const;
  return JSON.stringify(deliveryView(store.deliveries.update(delivery, change)));
});

export const sendPing = withBody(pingShape, ({ world: { store, random }, nowMs }, target) => {
  const { company: name = DEFAULT_COMPANY, environment = 'sandbox' } = target;
  const company = store.companies.find(environment, name)?.id;
  const endpoint = company === undefined ? undefined : store.webhooks.active(company);
  if (company === undefined || endpoint === undefined)
    return fieldRefusal(
      'company',
      `The company ${JSON.stringify(name)} has no registered URL (${environment}). Register one: POST /v2/webhook-endpoints with its key.`,
    );
  const [id, eventId, nowIso] = [random.uuid(), random.uuid(), isoSeconds(nowMs)];
  const body = eventJson(eventId, 'test.ping', nowIso, JSON.stringify(sampleOperation(name, nowIso)));
  const ping = { id, company, event_id: eventId, type: 'test.ping', body, url: endpoint.url } as const;
  store.deliveries.enqueue(ping, nowMs);
  return JSON.stringify({ delivery_id: id });
});

function deliveryView(delivery: StoredDelivery): object {
  const { attempts, body } = delivery;
  return {
    ...deliveryRow(delivery),
    attempts: attempts.map((attempt) => {
      const { status, headers, answer } = attempt;
      return {
        ...attemptRow(attempt),
        request: headers === undefined ? null : { headers, body },
        answer: answer === undefined || answer === null ? null : { status, ...answer },
      };
    }),
  };
}

const attemptRow = ({ at, status, error, ms, fault }: StoredAttempt) => ({
  ...{ at, status, error, ms: ms ?? null, fault },
});

function deliveryRow(delivery: StoredDelivery) {
  const { id, event_id: eventId, type, url, status, body, next_attempt_at: nextMs, fault: mark } = delivery;
  const { data } = type === 'test.ping' ? {} : (JSON.parse(body) as Partial<Event>);
  const { id: operationId = null, reference = null, amount = null, currency = null } = data ?? {};
  return {
    ...{ id, event_id: eventId, type, operation_id: operationId, reference, amount, currency, url, status },
    result: resultOf(delivery),
    attempts: delivery.attempts.map(attemptRow),
    next_attempt_at: isoOrNull(nextMs),
    fault: mark === 'free' ? null : mark === 'again' ? 'duplicate' : mark,
  };
}

const FAILURE_WORDS: Readonly<Partial<Record<NotAnsweredReason, string>>> = {
  timeout: 'timeout',
  reset: 'cut',
  truncated: 'cut',
  name: 'no such host',
  tls: 'tls',
};

function resultOf({ attempts }: StoredDelivery): string | null {
  const lastAttempt = attempts.at(-1);
  if (lastAttempt === undefined) return null;
  const { status, error, reason, fault } = lastAttempt;
  if (status === null && reason === 'connect')
    return /ECONNREFUSED|no program listens/.test(error ?? '') ? 'refused' : 'unreachable';
  if (status === null) return (reason && FAILURE_WORDS[reason]) ?? 'no answer';
  if (status >= 200 && status < 300) return fault === 'bad-signature' ? String(status) : 'delivered';
  return status >= 300 && status < 400 ? `${status} not followed` : String(status);
}

const ZERO_ID = '00000000-0000-0000-0000-000000000000';

const sampleOperation = (company: string, nowIso: string): Operation => ({
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
  concept: conceptOf('payout', companyPrefixOf(company), ZERO_ID),
  created_by: 'company',
  created_at: nowIso,
  updated_at: nowIso,
});

interface ExplainedStep {
  readonly check: string;
  readonly ok: boolean;
  readonly text: string;
}

export interface SignatureExplanation {
  readonly valid: boolean;
  readonly steps: readonly ExplainedStep[];
}

export function explainSignature(
  delivery: Pick<StoredDelivery, 'attempts' | 'body' | 'type' | 'event_id'>,
  urls: readonly RegisteredUrl[],
  nowMs: number,
): SignatureExplanation {
  const { attempts, body, type, event_id: eventId } = delivery;
  const lastAttempt = attempts.at(-1);
  if (lastAttempt === undefined) return noExplanation('Nothing was sent yet.');
  const { headers } = lastAttempt;
  if (headers === undefined)
    return noExplanation('An older version sent it and did not keep the whole attempt.');
  const sentHeaders = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const headerOf = (name: keyof typeof DELIVERY_HEADERS): string =>
    sentHeaders.get(DELIVERY_HEADERS[name].toLowerCase()) ?? '';
  const bytes = Buffer.from(body);
  const timestamp = headerOf('timestamp');
  const isTime = /^[0-9]{1,12}$/.test(timestamp);
  const { status, error } = lastAttempt;
  const isAccepted = status !== null && status >= 200 && status < 300;
  const verdict = isAccepted ? 'accepted' : 'not accepted: only a 2xx answer accepts it';
  const steps = [
    {
      check: 'Body',
      ok: true,
      text: `${bytes.length} bytes, signed as they are. Verify them before anything parses them.`,
    },
    {
      check: DELIVERY_HEADERS.timestamp,
      ok: isTime,
      text: isTime
        ? `${timestamp} is ${isoSeconds(Number(timestamp) * 1000)} on the clock of this machine, not on that of the sandbox. ` +
          `Receivers accept ${LIMITS.timestampToleranceSeconds} s either way.`
        : 'It is not a time in Unix seconds.',
    },
    ...headerOf('signature')
      .split(' ')
      .map((one) => signatureStep(one, ({ secret }) => sign(secret, timestamp, bytes) === one, urls, nowMs)),
    {
      check: `${DELIVERY_HEADERS.type}, ${DELIVERY_HEADERS.id}`,
      ok: headerOf('type') === type && headerOf('id') === eventId,
      text: 'Not signed. They repeat what the body says.',
    },
    {
      check: RECEIVER,
      ok: isAccepted,
      text: status === null ? `No answer: ${error ?? 'unknown'}.` : `${status}, ${verdict}.`,
    },
  ];
  const isSigned = steps.some(({ check, ok }) => check === DELIVERY_HEADERS.signature && ok);
  const otherSteps = steps.filter(({ check }) => check !== DELIVERY_HEADERS.signature && check !== RECEIVER);
  return { valid: isSigned && otherSteps.every(({ ok }) => ok), steps };
}

const RECEIVER = 'Receiver';

function noExplanation(text: string): SignatureExplanation {
  return { valid: false, steps: [{ check: 'Attempt', ok: false, text }] };
}

function signatureStep(
  signature: string,
  isSigner: (url: RegisteredUrl) => boolean,
  urls: readonly RegisteredUrl[],
  nowMs: number,
): ExplainedStep {
  const check = DELIVERY_HEADERS.signature;
  const start = `${signature.slice(0, 11)}...`;
  const signer = urls.findLast(isSigner);
  if (signer === undefined) return { check, ok: false, text: `No secret of this company made ${start}` };
  const signerText = `${start} signs the timestamp, "." and the body, with the secret of ${signer.url} (registered ${signer.created_at})`;
  if (signer.replaced_at === null) return { check, ok: true, text: `${signerText}.` };
  const endMs = signer.replaced_at + PREVIOUS_SECRET_MS;
  const isGood = nowMs < endMs;
  const until = isoSeconds(endMs);
  const rest = isGood
    ? `is good until ${until}`
    : `was good until ${until}: a receiver that has only the new one rejects it`;
  return { check, ok: isGood, text: `${signerText}, which was replaced and ${rest}.` };
}
