/** Reads one operation of the caller's company, and acts on it: confirm, resend the code, cancel (sections 3 and 4). */
import type { Rejection } from '../../contract/create.js';
import { isUuid } from '../../contract/notation.js';
import type { Direction } from '../../contract/operation.js';
import { recordChange } from '../engine/world.js';
import { cancel } from '../machine/settle.js';
import { confirm, resend, lookup } from '../machine/passage.js';
import type { Context, OperationRecord, Transition } from '../machine/operation.js';
import type { StoredOperation } from '../store/operations.js';
import type { HttpRefusal } from '../message.js';
import { readObject, refuseBody, contextOf, type EndpointCall, type EndpointHandler } from './call.js';

export const readsPayin: EndpointHandler = (call) => read(call, 'payin');
export const readsPayout: EndpointHandler = (call) => read(call, 'payout');
export const readsOperation: EndpointHandler = (call) => read(call, null);

/** The operation that a path names, of that direction (null: of either); a malformed id is an id that nobody has. */
function findOperation(call: EndpointCall, direction: Direction | null): StoredOperation | HttpRefusal {
  const { world, company, id } = call;
  const stored = isUuid(id) ? world.store.operations.find(company, id.toLowerCase()) : undefined;
  const isWanted = direction === null || stored?.held().operation.type === direction;
  return stored !== undefined && isWanted
    ? stored
    : { refusal: 'not_found', why: whyNotFound(call, direction) };
}

function whyNotFound({ world, company, id }: EndpointCall, direction: Direction | null): string {
  if (!isUuid(id)) return 'The id is not a UUID.';
  const other = world.store.operationList.find(id.toLowerCase());
  if (other === undefined) return 'No operation of this sandbox has this id.';
  if (other.company === company.name && other.environment === company.environment)
    return `It is a ${other.stored.held().operation.type}, not a ${direction ?? 'payin'}.`;
  return `The operation belongs to another company: ${other.company}, in the ${other.environment} environment.`;
}

function read(call: EndpointCall, direction: Direction | null): string | HttpRefusal {
  const stored = findOperation(call, direction);
  if ('refusal' in stored) return stored;
  const step = lookup(stored.held(), contextOf(call));
  return step === null ? stored.json : recordChange(call.world, stored, step, call.nowMs).json;
}

/** The operation is found first, then the body read, then its state asked. */
type Action = (held: OperationRecord, context: Context) => Transition | Rejection;

export const resendsCode: EndpointHandler = (call) => actWithoutBody(call, 'payin', resend);
export const cancelsPayin: EndpointHandler = (call) => actWithoutBody(call, 'payin', cancel);
export const cancelsPayout: EndpointHandler = (call) => actWithoutBody(call, 'payout', cancel);

export const confirms: EndpointHandler = (call) => {
  const stored = findOperation(call, 'payin');
  if ('refusal' in stored) return stored;
  const code = readCode(call);
  if (typeof code !== 'string') return code;
  return act(call, stored, (held, context) => confirm(held, code, context));
};

function actWithoutBody(call: EndpointCall, direction: Direction, action: Action): string | HttpRefusal {
  const stored = findOperation(call, direction);
  if ('refusal' in stored) return stored;
  return refuseBody(call.request.body) ?? act(call, stored, action);
}

function act(call: EndpointCall, stored: StoredOperation, action: Action): string | HttpRefusal {
  const step = action(stored.held(), contextOf(call));
  if ('refusal' in step) return { ...step, why: whyState(stored.held()) };
  const changed = recordChange(call.world, stored, step, call.nowMs);
  const { failure } = changed.held().operation;
  if (failure?.code === 'code_rejected') call.note.refused = WRONG_CODE[failure.reason] ?? null;
  return changed.json;
}

/** An answer of 200 all the same: the pay-in is final. */
const WRONG_CODE: Readonly<Record<string, string>> = {
  code_invalid: 'The code was wrong. A code has one attempt, so the pay-in failed. Create another one.',
  code_expired: 'The code had expired, so the pay-in failed, right or wrong. Create another one.',
};

function whyState({ operation, hidden }: OperationRecord): string {
  const { type, status, pending_reason: reason } = operation;
  const codes = reason === 'awaiting_code' ? `, after ${hidden.resends} resent codes` : '';
  return `The ${type} is ${status}${reason === null ? '' : ` (${reason})`}${codes}.`;
}

/** The code as typed (section 2.4): it is compared and forgotten, never stored. */
function readCode({ request }: EndpointCall): string | HttpRefusal {
  const body = readObject(request.body);
  if ('refusal' in body) return body;
  const { code, ...others } = body.fields;
  const unknown = Object.keys(others).map((field) => ({ field, code: 'unknown' as const }));
  if (code === undefined || code === null || code === '') {
    return { refusal: 'field_required', details: [{ field: 'code', code: 'required' }, ...unknown] };
  }
  if (typeof code !== 'string') return { refusal: 'body_invalid' };
  return unknown.length === 0 ? code : { refusal: 'field_invalid', details: unknown };
}
