import { createHash, createHmac } from 'node:crypto';
import { jsonIn } from '../../contract/json.js';
import { isUuid } from '../../contract/notation.js';
import { isObject } from '../../contract/shape.js';
import type {
  SeenDelivery,
  SeenOperation,
  SeenRequest,
  SeenAnswer,
  OperationState,
} from '../client/request-seen.js';
import { isCreate } from '../client/run-view.js';
import { headerValues } from '../../sandbox/http/access.js';
import { findRoute } from '../../sandbox/http/endpoints.js';
import {
  controlRequest,
  type Handler,
  type SandboxAnswer,
  type SandboxRequest,
} from '../../sandbox/message.js';

export type Recorder = ReturnType<typeof recorderOf>;

/** All runs of an exam share `salt`, so that equal one-time codes have equal digests. */
export function recorderOf(monotonic: () => number, salt: string) {
  const startedMs = monotonic();
  const requests: SeenRequest[] = [];
  const operations: SeenOperation[] = [];
  const operationsByName = new Map<string, SeenOperation>();
  const deliveries: SeenDelivery[] = [];
  const nowMs = (): number => monotonic() - startedMs;
  const nameOf = (scope: string, id: string): string => `${scope} ${id}`;
  const updateStatus = (scope: string, { id, status, reason }: OperationState): void => {
    const operation = operationsByName.get(nameOf(scope, id));
    if (operation !== undefined) Object.assign(operation, { status, reason });
  };
  return {
    ...{ requests, operations, deliveries, nowMs },
    recordArrival(request: SandboxRequest, scope: string): SeenRequest {
      const { method, target, body } = request;
      const match = findRoute(method, target.split('?', 1)[0] ?? '');
      const bearer = headerValues(request, 'authorization').join('\n');
      const [route, id] = 'refusal' in match ? [null, ''] : [match.endpoint, match.id];
      const seen: SeenRequest = {
        ...{ number: requests.length + 1, atMs: nowMs(), scope, method, target, route },
        operation: id === '' ? null : isUuid(id) ? id.toLowerCase() : id,
        key: headerValues(request, 'idempotency-key')[0] ?? null,
        body: route === 'payins.confirm' ? withoutCode(body, salt) : body,
        bearer: createHash('sha256').update(bearer).digest('hex').slice(0, 16),
        ...{ endedMs: null, fault: null, isCarriedOut: false, madeId: null, answer: { kind: 'none' } },
      };
      requests.push(seen);
      return seen;
    },
    recordResult(seen: SeenRequest, answer: SandboxAnswer): void {
      seen.isCarriedOut = true;
      const operation = operationIn(jsonIn(answer.body));
      if (operation === null) return;
      const { scope, route, key, number: requestNumber } = seen;
      if (isCreate(route) && answer.status < 300) {
        seen.madeId = operation.id;
        if (!operationsByName.has(nameOf(scope, operation.id))) {
          const newOperation = { ...operation, scope, route, key, requestNumber };
          operationsByName.set(nameOf(scope, operation.id), newOperation);
          operations.push(newOperation);
        }
      }
      updateStatus(scope, operation);
    },
    recordEnd(seen: SeenRequest, answer: SeenAnswer): void {
      seen.answer = answer;
      seen.endedMs ??= nowMs();
    },
    recordHangUp(seen: SeenRequest): void {
      seen.endedMs ??= nowMs();
    },
    recordDelivery(event: DeliveredEvent): (status: number | null) => void {
      const statuses: (number | null)[] = [];
      deliveries.push({ atMs: nowMs(), ...event, statuses });
      return (status) => void statuses.push(status);
    },
    readStatuses(scope: string, handle: Handler): void {
      for (const { id } of operations.filter((one) => one.scope === scope)) {
        const answer = jsonIn(handle(controlRequest('GET', `operations/${id}`, new Uint8Array())).body);
        const operation = isObject(answer) ? operationIn(answer['operation']) : null;
        if (operation !== null) updateStatus(scope, operation);
      }
    },
  };
}

function withoutCode(body: Uint8Array, salt: string): Uint8Array {
  const digestOf = (text: string | Uint8Array): string =>
    createHmac('sha256', salt).update(text).digest('hex');
  const sentValue = jsonIn(body);
  if (!isObject(sentValue)) return Buffer.from(JSON.stringify({ sealed: digestOf(body) }));
  const members = Object.entries(sentValue).map(([name, value]) =>
    name === 'code' ? [name, digestOf(JSON.stringify(value))] : [name, value],
  );
  return Buffer.from(JSON.stringify(Object.fromEntries(members)));
}

export function seenAnswerOf({ status, headers, body }: SandboxAnswer): SeenAnswer {
  const value = jsonIn(body);
  if (value === undefined) return { kind: 'unreadable', status };
  const code = isObject(value) && isObject(value['error']) ? value['error']['code'] : null;
  const events = isObject(value) && Array.isArray(value['events']) ? (value['events'] as unknown[]) : [];
  const retryAfter = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
  return {
    ...{ kind: 'readable', status },
    code: typeof code === 'string' ? code : null,
    operation: operationIn(value),
    retryAfterSeconds: retryAfter === undefined ? null : Number(retryAfter),
    events: events.flatMap((event) => (isObject(event) ? (operationIn(event['data']) ?? []) : [])),
  };
}

type DeliveredEvent = Pick<SeenDelivery, 'type' | 'operation'>;

export function eventIn(body: Uint8Array | null): DeliveredEvent {
  const event = body === null ? undefined : jsonIn(body);
  if (!isObject(event)) return { type: '', operation: null };
  const { type, data } = event;
  return { type: typeof type === 'string' ? type : '', operation: operationIn(data) };
}

function operationIn(value: unknown): OperationState | null {
  if (!isObject(value)) return null;
  const { id, status, pending_reason: reason = null } = value;
  if (typeof id !== 'string' || typeof status !== 'string') return null;
  return { id, status, reason: typeof reason === 'string' ? reason : null };
}
