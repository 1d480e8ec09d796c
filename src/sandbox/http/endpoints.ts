import { type Environment, ENVIRONMENT_PATH } from '../../contract/access.js';
import { endpoint, ENDPOINT_IDS, type EndpointId } from '../../contract/endpoints.js';
import type { HttpRefusal } from '../message.js';
import { listBalances, listBanks, listCapabilities, listEvents, listMethods } from './lists.js';
import { fieldsRefusal, readObject, readOptionalObject, contextOf } from './call.js';
import type { EndpointHandler, EndpointCall } from './call.js';
import { create } from './creates.js';
import { isIP } from 'node:net';
import { webhookEndpoint } from '../../contract/body-fields.js';
import { detailsOf } from '../../contract/shape.js';
import { isoSeconds } from '../../runtime/clock.js';
import { classifyAddress } from '../../runtime/network.js';
import type { Rejection } from '../../contract/create.js';
import { isUuid } from '../../contract/notation.js';
import type { Direction } from '../../contract/operation.js';
import { recordChange } from '../engine/world.js';
import { cancel } from '../machine/settle.js';
import { confirm, resend, lookUp } from '../machine/passage.js';
import type { Context, OperationRecord, Transition } from '../machine/operation.js';
import type { StoredOperation } from '../store/operations.js';

function findOperation(call: EndpointCall, direction: Direction | null): StoredOperation | HttpRefusal {
  const { world, company, id } = call;
  const refuse = (why: string): HttpRefusal => ({ refusal: 'not_found', why });
  if (!isUuid(id)) return refuse('The id is not a UUID.');
  const stored = world.store.operations.find(id.toLowerCase());
  if (stored === undefined) return refuse('No operation of this sandbox has this id.');
  const { id: ownerId, name, environment } = stored.company;
  if (ownerId !== company.id)
    return refuse(`The operation belongs to another company: ${name}, in the ${environment} environment.`);
  const { type } = stored.record().operation;
  return direction === null || type === direction ? stored : refuse(`It is a ${type}, not a ${direction}.`);
}

function readOperation(call: EndpointCall, direction: Direction | null): string | HttpRefusal {
  const stored = findOperation(call, direction);
  if ('refusal' in stored) return stored;
  const step = lookUp(stored.record(), contextOf(call));
  return step === null ? stored.json : recordChange(call.world, stored, step, call.nowMs).json;
}

type Action = (record: OperationRecord, context: Context) => Transition | Rejection;

const confirmPayin: EndpointHandler = (call) => {
  const stored = findOperation(call, 'payin');
  if ('refusal' in stored) return stored;
  const body = readObject(call.request.body);
  if ('refusal' in body) return body;
  // `code` is compared and never stored (contract section 2.4).
  const { code, ...unknownFields } = body.fields;
  const unknownDetails = Object.keys(unknownFields).map((field) => ({ field, code: 'unknown' as const }));
  if (code === undefined || code === null || code === '')
    return { refusal: 'field_required', details: [{ field: 'code', code: 'required' }, ...unknownDetails] };
  if (typeof code !== 'string') return { refusal: 'body_invalid' };
  const [firstUnknown] = unknownDetails;
  // The refusal is `body_invalid`, because the contract lists no `field_invalid` for this endpoint.
  if (firstUnknown !== undefined)
    return { refusal: 'body_invalid', why: `Unknown field: ${firstUnknown.field}. Known fields: code.` };
  return applyAction(call, stored, (record, context) => confirm(record, code, context));
};

function actWithoutBody(call: EndpointCall, direction: Direction, action: Action): string | HttpRefusal {
  const stored = findOperation(call, direction);
  if ('refusal' in stored) return stored;
  const body = readOptionalObject(call.request.body);
  if ('refusal' in body) return body;
  const details = Object.keys(body.fields).map((field) => ({ field, code: 'unknown' as const }));
  return details.length > 0 ? { refusal: 'field_invalid', details } : applyAction(call, stored, action);
}

function applyAction(call: EndpointCall, stored: StoredOperation, action: Action): string | HttpRefusal {
  const step = action(stored.record(), contextOf(call));
  if ('refusal' in step) {
    const { operation, hidden } = stored.record();
    const { type, status, pending_reason: reason } = operation;
    const codesText = reason === 'awaiting_code' ? `, after ${hidden.resends} resent codes` : '';
    return { ...step, why: `The ${type} is ${status}${reason === null ? '' : ` (${reason})`}${codesText}.` };
  }
  const updated = recordChange(call.world, stored, step, call.nowMs);
  const { failure } = updated.record().operation;
  if (failure?.code === 'code_rejected')
    call.note.refusalText = REASONS_OF_FAILED_CONFIRM[failure.reason] ?? null;
  return updated.json;
}

const REASONS_OF_FAILED_CONFIRM: Readonly<Record<string, string>> = {
  code_invalid: 'The code was wrong. A code has one attempt, so the pay-in failed. Create another one.',
  code_expired: 'The code had expired, so the pay-in failed, right or wrong. Create another one.',
};

const URL_MAX_CHARACTERS = 2048;
const METADATA_HOST = /^(?:metadata|instance-data)(?:\.[a-z.-]+)?$/i;
const LOOPBACK_HOST = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/;

const registerWebhook: EndpointHandler = ({ world, company, request, nowMs }) => {
  const body = readObject(request.body);
  if ('refusal' in body) return body;
  const { url } = body.fields;
  const details = detailsOf(webhookEndpoint, body.fields);
  if (typeof url === 'string' && url !== '' && !isReceiverUrl(url, world.allowHttpWebhooks))
    details.push({ field: 'url', code: 'invalid' });
  if (typeof url !== 'string' || details.length > 0) return fieldsRefusal(details);
  const { random, store } = world;
  const entry = { id: random.uuid(), url, secret: `whsec_${random.hex(24)}`, created_at: isoSeconds(nowMs) };
  store.webhooks.register(company.id, entry, nowMs);
  return JSON.stringify(entry);
};

export function isReceiverUrl(url: string, allowsHttp: boolean): boolean {
  if (url.length > URL_MAX_CHARACTERS || !/^https?:\/\/[\x21-\x7e]+$/i.test(url) || !URL.canParse(url))
    return false;
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '' || METADATA_HOST.test(hostname)) return false;
  const address = hostname.replace(/^\[|\]$/g, '');
  // An IP address that `new URL` had to rewrite, such as `0x7f.1`, is refused.
  const isSpelledOut = url.toLowerCase().startsWith(`${protocol}//${hostname}`);
  const isIpv4InIpv6 = address.startsWith('::ffff:');
  if (isIP(address) !== 0 && (!isSpelledOut || isIpv4InIpv6 || classifyAddress(address) === 'forbidden'))
    return false;
  return protocol === 'https:' || (allowsHttp && LOOPBACK_HOST.test(hostname));
}

export interface Route {
  readonly environment: Environment;
  readonly endpoint: EndpointId;
  readonly id: string;
}

const IDS_BY_PATH = Map.groupBy(ENDPOINT_IDS, (id) => endpoint(id).path);

export function findRoute(method: string, path: string): Route | HttpRefusal {
  const environment: Environment = path.startsWith(`${ENVIRONMENT_PATH.sandbox}/`) ? 'sandbox' : 'live';
  const ownPath = path.slice(ENVIRONMENT_PATH[environment].length);
  const [pattern, id] = IDS_BY_PATH.has(ownPath) ? [ownPath, ''] : patternOf(ownPath);
  const ids = IDS_BY_PATH.get(pattern);
  if (ids === undefined) {
    const why = /^(?:\/sandbox)?\/v2\//.test(path)
      ? 'No endpoint has this path. A slash at the end, or an id with a slash in it, makes another path.'
      : 'Paths begin with /sandbox/v2/, or with /v2/ for a rehearsal with live keys.';
    return { refusal: 'route_not_found', why };
  }
  const endpointId = ids.find((one) => endpoint(one).method === method);
  if (endpointId === undefined) return methodRefusal(ids.map((one) => endpoint(one).method));
  return { environment, endpoint: endpointId, id };
}

export function patternOf(path: string): readonly [pattern: string, id: string] {
  const [, head = '', id = '', action = ''] = /^((?:\/v2\/)?[^/]+)\/([^/]+)(\/[^/]+)?$/.exec(path) ?? [];
  return [`${head}/{id}${action}`, id];
}

export function methodRefusal(methods: readonly string[]): HttpRefusal {
  const why = `The path accepts ${methods.join(', ')}.`;
  return { refusal: 'method_not_allowed', why, headers: { Allow: methods.join(', ') } };
}

export const HANDLERS: Readonly<Record<EndpointId, EndpointHandler>> = {
  capabilities: listCapabilities,
  methods: listMethods,
  banks: listBanks,
  balances: listBalances,
  'payins.create': (call) => create('payin', call),
  'payins.get': (call) => readOperation(call, 'payin'),
  'payins.confirm': confirmPayin,
  'payins.resend': (call) => actWithoutBody(call, 'payin', resend),
  'payins.cancel': (call) => actWithoutBody(call, 'payin', cancel),
  'payouts.create': (call) => create('payout', call),
  'payouts.get': (call) => readOperation(call, 'payout'),
  'payouts.cancel': (call) => actWithoutBody(call, 'payout', cancel),
  'transactions.get': (call) => readOperation(call, null),
  'events.list': listEvents,
  'webhooks.register': registerWebhook,
};
