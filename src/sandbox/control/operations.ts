/** Operations as the sandbox sees them: of every company, with what they wait for; and the bank, or time, that a person plays. */
import { FAILURE_CODES, isFailure, type FailureReason } from '../../contract/failures.js';
import { isUuid } from '../../contract/notation.js';
import { object, oneOf, optional, textLike } from '../../contract/shape.js';
import { isoSeconds } from '../../runtime/clock.js';
import { recordChange } from '../engine/record.js';
import { contextAt } from '../engine/world.js';
import { expire } from '../machine/expiry.js';
import { paymentFor } from '../machine/passage.js';
import { CONFIRMED, settleWith } from '../machine/settle.js';
import type { BankVerdict, Context, OperationRecord, Transition } from '../machine/types.js';
import type { HttpRefusal } from '../message.js';
import type { ListedOperation } from '../store/operation-list.js';
import { invalid, nothing, readBody, type ControlCall, type ControlHandler } from './call.js';
import { pageOf, askedPage } from './pages.js';

const STATUSES = ['pending', 'confirmed', 'failed'];

export const listsOperations: ControlHandler = (call) => {
  const { operationList } = call.world.store;
  const rowOf = (id: string): number | null =>
    isUuid(id) ? (operationList.rowOf(id.toLowerCase()) ?? null) : null;
  const asked = askedPage(call, ['status', 'search', 'waits'], rowOf);
  if ('refusal' in asked) return asked;
  const { values, from, limit } = asked;
  const { status = null, search = null, waits = 'false' } = values;
  if (status !== null && !STATUSES.includes(status)) return invalid([{ field: 'status', code: 'invalid' }]);
  if (!['true', 'false'].includes(waits)) return invalid([{ field: 'waits', code: 'invalid' }]);
  // Whatever is pending waits for somebody.
  const isNone = waits === 'true' && status !== null && status !== 'pending';
  const wanted = waits === 'true' ? 'pending' : status;
  const filter = { status: wanted, search: search === '' ? null : search };
  const found = isNone ? [] : operationList.page(from, filter, limit + 1);
  const page = pageOf(found, limit, ({ stored }) => stored.held().operation.id);
  return `{"operations":[${page.elements.map(shown).join(',')}],"next":${JSON.stringify(page.next)}}`;
};

/** With what happened around it: the requests that were about it, its events, their deliveries. */
export const showsOperation: ControlHandler = (call) => {
  const listed = find(call);
  if ('refusal' in listed) return listed;
  const { log, store } = call.world;
  log.write();
  const { id } = listed.stored.held().operation;
  const events = store.operationList.eventsOf(listed.stored.row);
  const around = {
    requests: store.requests.ofOperation(id),
    events,
    deliveries: events.flatMap((event) => store.operationList.deliveriesOf(event.id)),
  };
  return `${shown(listed).slice(0, -1)},${JSON.stringify(around).slice(1)}`;
};

const verdict = object({
  status: oneOf(['confirmed', 'failed']),
  failure: optional(object({ code: oneOf(FAILURE_CODES), reason: optional(textLike(/./su)) })),
});

/** The bank's answer, for an operation that waits for it. */
export const settlesOperation: ControlHandler = (call) => {
  const listed = find(call);
  if ('refusal' in listed) return listed;
  const read = readVerdict(call);
  if ('refusal' in read) return read;
  return act(call, listed, (held, context) =>
    held.operation.pending_reason === 'processing' ? settleWith(held, read.verdict, context) : null,
  );
};

/** The end of its window, or of its code, for an operation that has one. */
export const expiresOperation: ControlHandler = (call) => {
  const listed = find(call);
  if ('refusal' in listed) return listed;
  const body = readBody(call, nothing);
  return 'refusal' in body ? body : act(call, listed, expire);
};

function find({ world, id }: ControlCall): ListedOperation | HttpRefusal {
  const listed = isUuid(id) ? world.store.operationList.find(id.toLowerCase()) : undefined;
  return listed ?? { refusal: 'not_found' };
}

type Step = (held: OperationRecord, context: Context) => Transition | null;

function act({ world, nowMs }: ControlCall, listed: ListedOperation, take: Step): string | HttpRefusal {
  const step = take(listed.stored.held(), contextAt(world, listed.environment, nowMs));
  if (step === null) return { refusal: 'invalid_state' };
  return shown({ ...listed, stored: recordChange(world, listed.stored, step, nowMs) });
}

function readVerdict(call: ControlCall): { readonly verdict: BankVerdict } | HttpRefusal {
  const body = readBody(call, verdict);
  if ('refusal' in body) return body;
  const { status, failure } = body.value;
  if (status === 'confirmed')
    return failure === undefined ? { verdict: CONFIRMED } : invalid([{ field: 'failure', code: 'unknown' }]);
  if (failure === undefined) return invalid([{ field: 'failure', code: 'required' }]);
  const { code, reason } = failure;
  if (reason === undefined) return invalid([{ field: 'failure.reason', code: 'required' }]);
  if (!isFailure(code, reason)) return invalid([{ field: 'failure.reason', code: 'invalid' }]);
  return { verdict: { status, code, reason: reason as FailureReason } };
}

function shown({ stored, environment, company }: ListedOperation): string {
  const held = stored.held();
  const { id, type: direction } = held.operation;
  const head = JSON.stringify({ id, environment, company, direction }).slice(0, -1);
  return `${head},"operation":${stored.json},"waits_for":${JSON.stringify(waitsFor(held))}}`;
}

/** Null where it is final. */
function waitsFor(held: OperationRecord): object | null {
  const { operation, hidden } = held;
  const untilOf = (ms: number | null): string | null => (ms === null ? null : isoSeconds(ms));
  switch (operation.pending_reason) {
    case null:
      return null;
    case 'awaiting_code':
      return { kind: 'code', until: untilOf(hidden.code_expires_at) };
    case 'awaiting_payment':
      return { kind: 'payment', until: untilOf(hidden.due_at), payment: paymentFor(held) };
    default:
      return { kind: 'bank', until: untilOf(hidden.due_at) };
  }
}
