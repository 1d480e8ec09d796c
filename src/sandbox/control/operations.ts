import { ENVIRONMENTS } from '../../contract/access.js';
import { FAILURE_CODES, FAILURES, isFailure, type FailureReason } from '../../contract/failures.js';
import { isUuid } from '../../contract/notation.js';
import { object, oneOf, optional, textLike } from '../../contract/shape.js';
import { isoSeconds } from '../../runtime/clock.js';
import { recordChange, contextAt, type World } from '../engine/world.js';
import { expire, matchesPayment, paymentFor, pay, type Payment } from '../machine/passage.js';
import { CONFIRMATION, settleWith } from '../machine/settle.js';
import type { BankVerdict, Context, OperationRecord, Transition } from '../machine/operation.js';
import { invalidDetails, fieldsRefusal } from '../http/call.js';
import type { HttpRefusal } from '../message.js';
import type { StoredOperation } from '../store/operations.js';
import { fieldRefusal, isoOrNull, noBody, readBody, idRefusal, pageOf, readPage } from './call.js';
import type { ControlCall, ControlHandler } from './call.js';
import { isIncoming } from '../../contract/operation.js';
import { AMOUNT_PATTERN } from '../../contract/money.js';

const STATUSES = ['pending', 'confirmed', 'failed'];
const FILTER_RULES = {
  status: `status must be one of ${STATUSES.join(', ')}.`,
  waits: 'waits must be true or false.',
  counts: 'counts must be true or false.',
  environment: `environment must be one of ${ENVIRONMENTS.join(', ')}.`,
  from: 'from must be a time such as 2026-10-28T09:14:08Z.',
  to: 'to must be a time such as 2026-10-28T09:14:08Z.',
};
type RuleName = keyof typeof FILTER_RULES;
const FILTER_NAMES = [...(Object.keys(FILTER_RULES) as RuleName[]), 'search', 'company', 'method'] as const;
const PAID_FIRST_PAGE_MAX = 10;

export const listOperations: ControlHandler = (call) => {
  const { operations } = call.world.store;
  const rowOf = (id: string) => (isUuid(id) ? (operations.rowOf(id.toLowerCase()) ?? null) : null);
  const pageQuery = readPage(call, FILTER_NAMES, rowOf);
  if ('refusal' in pageQuery) return pageQuery;
  const { values, from, limit } = pageQuery;
  const { status = null, search = null, waits = 'false', company = null, method = null } = values;
  const { environment = null, counts = 'false' } = values;
  const [fromIso, toIso] = [parseMoment(values.from), parseMoment(values.to)];
  const details = invalidDetails({
    status: status !== null && !STATUSES.includes(status),
    waits: !['true', 'false'].includes(waits),
    counts: !['true', 'false'].includes(counts),
    environment: environment !== null && !ENVIRONMENTS.some((one) => one === environment),
    from: fromIso === undefined,
    to: toIso === undefined,
  });
  if (details.length > 0 || fromIso === undefined || toIso === undefined)
    return fieldsRefusal(details, details.map(({ field }) => FILTER_RULES[field as RuleName]).join(' '));
  const isAlwaysEmpty = waits === 'true' && status !== null && status !== 'pending';
  const filter = {
    status: waits === 'true' ? 'pending' : status,
    ...{ search, company, environment, method, fromIso, toIso },
  };
  const rows = isAlwaysEmpty ? [] : operations.page(from, filter, limit + 1);
  const page = pageOf(rows, limit, (stored) => stored.record().operation.id);
  const countsJson =
    counts === 'true' ? `,"counts":${JSON.stringify(isAlwaysEmpty ? [] : operations.counts(filter))}` : '';
  const world = limit > PAID_FIRST_PAGE_MAX ? undefined : call.world;
  const views = page.elements.map((stored) => viewJson(stored, call.nowMs, world));
  return `{"operations":[${views.join(',')}],"next":${JSON.stringify(page.next)}${countsJson}}`;
};

function parseMoment(text: string | undefined): string | null | undefined {
  if (text === undefined) return null;
  const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(ms) ? undefined : isoSeconds(ms);
}

export const showOperation: ControlHandler = (call) => {
  const stored = findOperation(call);
  if ('refusal' in stored) return stored;
  const { log, store } = call.world;
  log.write();
  const { id } = stored.record().operation;
  const events = store.operations.eventsOf(stored.row);
  const relations = {
    requests: store.requests.ofOperation(id),
    events,
    deliveries: events.flatMap((event) => store.operations.deliveriesOf(event.id)),
  };
  return `${viewJson(stored, call.nowMs, call.world).slice(0, -1)},${JSON.stringify(relations).slice(1)}`;
};

const FAILURE_EXAMPLE = '{"code":"limit_exceeded","reason":"daily_limit"}';

const verdictShape = object({
  status: oneOf(['confirmed', 'failed']),
  failure: optional(object({ code: oneOf(FAILURE_CODES), reason: optional(textLike(/./su)) })),
});

export const settleOperation: ControlHandler = (call) => {
  const stored = findOperation(call);
  if ('refusal' in stored) return stored;
  const body = readBody(call, verdictShape);
  if ('refusal' in body) return body;
  const settle = (answer: BankVerdict): string | HttpRefusal =>
    applyStep(call, stored, (record, context) =>
      record.operation.pending_reason === 'processing' ? settleWith(record, answer, context) : null,
    );
  const { status, failure } = body.value;
  if (status === 'confirmed')
    return failure === undefined
      ? settle(CONFIRMATION)
      : fieldRefusal('failure', 'failure goes with "status":"failed" alone.', 'unknown');
  if (failure === undefined)
    return fieldRefusal('failure', `Add failure, for example ${FAILURE_EXAMPLE}.`, 'required');
  const { code, reason } = failure;
  const reasons = `one of ${FAILURES[code].reasons.join(', ')}`;
  if (reason === undefined)
    return fieldRefusal('failure.reason', `Add failure.reason: ${reasons}.`, 'required');
  if (!isFailure(code, reason)) return fieldRefusal('failure.reason', `failure.reason must be ${reasons}.`);
  return settle({ status, code, reason: reason as FailureReason });
};

export const expireOperation: ControlHandler = (call) => {
  const stored = findOperation(call);
  if ('refusal' in stored) return stored;
  const body = readBody(call, noBody);
  return 'refusal' in body ? body : applyStep(call, stored, expire);
};

function findOperation({ world, id }: ControlCall): StoredOperation | HttpRefusal {
  const stored = isUuid(id) ? world.store.operations.find(id.toLowerCase()) : undefined;
  return stored ?? idRefusal('operation', id);
}

function applyStep(
  { world, nowMs }: ControlCall,
  stored: StoredOperation,
  action: (record: OperationRecord, context: Context) => Transition | null,
): string | HttpRefusal {
  const step = action(stored.record(), contextAt(world, stored.company.environment, nowMs));
  if (step === null) return { refusal: 'invalid_state', why: describeState(stored.record()) };
  return viewJson(recordChange(world, stored, step, nowMs), nowMs, world);
}

function describeState({ operation: { type, id, status, pending_reason: reason } }: OperationRecord): string {
  const subject = `The ${type} ${id}`;
  switch (reason) {
    case null:
      return `${subject} is ${status}, which is final.`;
    case 'awaiting_code':
      return `${subject} waits for its code: POST /v2/payins/${id}/confirm, or POST operations/${id}/expire.`;
    case 'awaiting_payment':
      return `${subject} waits for a payment: POST payments {"for":"${id}"}, or POST operations/${id}/expire.`;
    default:
      return `${subject} waits for the bank: POST operations/${id}/settle.`;
  }
}

function viewJson(stored: StoredOperation, nowMs: number, world?: World): string {
  const record = stored.record();
  const { environment, name: company } = stored.company;
  const { id, type: direction } = record.operation;
  const head = JSON.stringify({ id, environment, company, direction }).slice(0, -1);
  const wait = waitView(record);
  const mayHaveOlder = world !== undefined && record.operation.pending_reason === 'awaiting_payment';
  const fullWait = mayHaveOlder ? { ...wait, paid_first: findOlderPayin(world, record, nowMs) } : wait;
  return `${head},"operation":${stored.json},"waits_for":${JSON.stringify(fullWait)}}`;
}

function findOlderPayin({ store }: World, record: OperationRecord, nowMs: number): object | null {
  const expected = paymentFor(record);
  for (const stored of store.operations.waitingPayins(expected.method, expected.currency, expected.amount)) {
    const { id, reference = null } = stored.record().operation;
    if (id === record.operation.id) return null;
    const { name: company, environment } = stored.company;
    if (matchesPayment(stored.record(), expected, nowMs)) return { id, reference, company, environment };
  }
  return null;
}

function waitView(record: OperationRecord): object | null {
  const { operation, hidden } = record;
  switch (operation.pending_reason) {
    case null:
      return null;
    case 'awaiting_code':
      return { kind: 'code', until: isoOrNull(hidden.code_expires_at) };
    case 'awaiting_payment':
      return { kind: 'payment', until: isoOrNull(hidden.due_at), payment: paymentFor(record) };
    default:
      return { kind: 'bank', until: isoOrNull(hidden.due_at) };
  }
}

const INCOMING_METHODS = ['incoming_mobile_payment', 'incoming_transfer'] as const;
const anyTextShape = textLike(/./su);

const paymentShape = object({
  for: optional(anyTextShape),
  method: optional(oneOf(INCOMING_METHODS)),
  currency: optional(textLike(/^[A-Za-z]{3}$/, 'three letters such as VES')),
  amount: optional(textLike(AMOUNT_PATTERN, 'an amount as text, such as "10.00"')),
  bank_code: optional(anyTextShape),
  phone: optional(anyTextShape),
  document: optional(object({ type: anyTextShape, number: anyTextShape })),
});

const REQUIRED_MEMBERS: (keyof Payment)[] = ['method', 'currency', 'amount', 'bank_code'];

export const receivePayment: ControlHandler = (call) => {
  const body = readBody(call, paymentShape);
  if ('refusal' in body) return body;
  const { world, nowMs } = call;
  const { operations } = world.store;
  const { for: id, ...ownMembers } = body.value;
  const record = id === undefined ? undefined : operations.find(id.toLowerCase())?.record();
  if (id !== undefined && record === undefined) return idRefusal('operation', id);
  if (record !== undefined && !isIncoming(record.operation.method))
    return fieldRefusal(
      'for',
      `for must be a pay-in that waits for a payment: one of ${INCOMING_METHODS.join(', ')}. This one is ${record.operation.method}.`,
    );
  const partial: { readonly [Name in keyof Payment]?: Payment[Name] | undefined } = {
    ...(record && paymentFor(record)),
    ...ownMembers,
  };
  const { phone, document, currency = '' } = partial;
  const missingFields = REQUIRED_MEMBERS.filter((field) => partial[field] === undefined);
  if (phone === undefined && document === undefined) missingFields.push('phone', 'document');
  if (missingFields.length > 0)
    return fieldsRefusal(
      missingFields.map((field) => ({ field, code: 'required' })),
      'Give for, the id of a pay-in; or method, currency, amount, bank_code, and phone or document.',
    );
  const arrival: Payment = { ...(partial as Payment), currency: currency.toUpperCase() };
  for (const stored of operations.waitingPayins(arrival.method, arrival.currency, arrival.amount)) {
    const context = contextAt(world, stored.company.environment, nowMs);
    const step = pay(stored.record(), arrival, context);
    if (step === null) continue;
    recordChange(world, stored, step, nowMs);
    return JSON.stringify({ attributed_to: step.record.operation.id });
  }
  return JSON.stringify({ attributed_to: null });
};
