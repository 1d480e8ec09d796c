/** A run, sorted by payments: which requests, keys and operations belong to which, and what the command was told of them. Pure. */
import { type EndpointId, type ENDPOINTS, endpoint, type RetryClass } from '../contract/endpoints.js';
import type { Changing } from './client-exam.js';
import { fingerprintOf } from './fingerprint.js';
import {
  isLeftOpen,
  type SeenOperation,
  type SeenRequest,
  type SeenRun,
  type ToldOperation,
} from './seen.js';

/** A key of a payment, within a scope. */
export interface KeyUse {
  readonly scope: string;
  readonly key: string | null;
  readonly requests: SeenRequest[];
  /** Whether the command was told that nothing came of it, or something that failed. */
  isOver: boolean;
  /** Whether it was told 429 and nothing else, which the contract does not know. */
  isThrottled: boolean;
}

/** All that was sent and made of one fingerprint. */
export interface SeenPayment {
  readonly fingerprint: string;
  readonly route: EndpointId;
  /** Of its first request. */
  readonly body: Uint8Array;
  /** In the order in which they were first seen. */
  readonly keys: KeyUse[];
  readonly operations: SeenOperation[];
}

export interface RunView {
  readonly run: SeenRun;
  /** By fingerprint, in the order in which they were first seen. */
  readonly payments: ReadonlyMap<string, SeenPayment>;
  /** The payment that a request belongs to; null where it belongs to none of this run. */
  readonly paymentOf: (request: SeenRequest) => SeenPayment | null;
}

type RouteOf<Class extends RetryClass> = {
  [Id in EndpointId]: (typeof ENDPOINTS)[Id]['retry'] extends Class ? Id : never;
}[EndpointId];

export function isCreate(route: EndpointId | null): route is RouteOf<'keyed'> {
  return route !== null && endpoint(route).retry === 'keyed';
}

/** Confirm, resend, cancel: what is looked up before it is repeated. */
export function isAction(route: EndpointId | null): route is Exclude<RouteOf<'once'>, 'webhooks.register'> {
  return route !== null && endpoint(route).lookup !== null;
}

export function isRead(route: EndpointId | null): route is RouteOf<'safe'> {
  return route !== null && endpoint(route).retry === 'safe';
}

export function runViewOf(run: SeenRun, changing: Changing): RunView {
  const payments = new Map<string, SeenPayment>();
  const byRequest = new Map<number, SeenPayment>();
  for (const request of run.requests) {
    const { route, body } = request;
    if (!isCreate(route)) continue;
    const fingerprint = fingerprintOf(route, body, changing);
    const payment = payments.get(fingerprint) ?? { fingerprint, route, body, keys: [], operations: [] };
    payments.set(fingerprint, payment);
    byRequest.set(request.number, payment);
    const { scope, key } = request;
    const use = payment.keys.find((one) => one.scope === scope && one.key === key);
    if (use === undefined)
      payment.keys.push({ scope, key, requests: [request], isOver: false, isThrottled: false });
    else use.requests.push(request);
  }
  const byOperation = new Map<string, SeenPayment>();
  for (const operation of run.operations) {
    const payment = byRequest.get(operation.request);
    payment?.operations.push(operation);
    if (payment !== undefined) byOperation.set(nameOf(operation.scope, operation.id), payment);
  }
  const told = failuresTold(run);
  for (const { keys, operations } of payments.values()) for (const use of keys) weigh(use, operations, told);
  const paymentOf = ({ number, scope, operation }: SeenRequest): SeenPayment | null =>
    byRequest.get(number) ?? byOperation.get(nameOf(scope, operation)) ?? null;
  return { run, payments, paymentOf };
}

/** A sandbox whose seed is fixed gives the same ids again after a reset. */
function nameOf(scope: string, operation: string | null): string {
  return `${scope} ${operation ?? ''}`;
}

/**
 * A 400 says that the service never had the key: it would have answered as before. A 401 or a 403 says that only where no answer
 * before it was left open. A 409 never does.
 */
function weigh(
  use: KeyUse,
  operations: readonly SeenOperation[],
  failures: ReadonlySet<SeenOperation>,
): void {
  let isOpen = false;
  for (const { told } of use.requests) {
    const status = told.kind === 'answer' ? told.status : 0;
    use.isThrottled = status === 429 && !isOpen;
    use.isOver = status === 400 || ([401, 403, 404].includes(status) && !isOpen);
    isOpen ||= isLeftOpen(told);
  }
  const isMine = ({ scope, key }: SeenOperation): boolean => scope === use.scope && key === use.key;
  if (operations.some((operation) => isMine(operation) && failures.has(operation))) use.isOver = true;
}

/** The operations of which the command was told that they failed: by an answer, a list of events or a delivery that it took. */
export function failuresTold({ requests, deliveries, operations }: SeenRun): ReadonlySet<SeenOperation> {
  const answered = requests.flatMap(({ scope, told }) =>
    told.kind === 'answer' ? [told.operation, ...told.events].map((operation) => ({ scope, operation })) : [],
  );
  const isFailure = ({ operation }: { operation: ToldOperation | null }): boolean =>
    operation?.status === 'failed';
  const inAnswers = new Set(
    answered.filter(isFailure).map(({ scope, operation }) => nameOf(scope, operation?.id ?? null)),
  );
  const taken = deliveries.filter(({ answers }) => answers.some(isTaken)).filter(isFailure);
  const delivered = new Set(taken.map(({ operation }) => operation?.id));
  const isTold = ({ scope, id }: SeenOperation): boolean =>
    inAnswers.has(nameOf(scope, id)) || delivered.has(id);
  return new Set(operations.filter((operation) => operation.status === 'failed' && isTold(operation)));
}

export function isTaken(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
