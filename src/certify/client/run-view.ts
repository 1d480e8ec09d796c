import { type EndpointId, type ENDPOINTS, endpoint, type RetryClass } from '../../contract/endpoints.js';
import { fingerprintOf, type ChangingPaths } from './fingerprint.js';
import {
  isOutcomeUnknown,
  type SeenOperation,
  type SeenRequest,
  type SeenRun,
  type OperationState,
} from './request-seen.js';

export interface KeyUse {
  readonly scope: string;
  readonly key: string | null;
  readonly requests: SeenRequest[];
  isUnpaid: boolean;
  isThrottled: boolean;
}

export interface SeenPayment {
  readonly fingerprint: string;
  readonly route: EndpointId;
  readonly body: Uint8Array;
  readonly keys: KeyUse[];
  readonly operations: SeenOperation[];
}

export interface RunView {
  readonly run: SeenRun;
  readonly payments: ReadonlyMap<string, SeenPayment>;
  readonly paymentOf: (request: SeenRequest) => SeenPayment | null;
}

type RouteOf<Class extends RetryClass> = {
  [Id in EndpointId]: (typeof ENDPOINTS)[Id]['retry'] extends Class ? Id : never;
}[EndpointId];

export function isCreate(route: EndpointId | null): route is RouteOf<'keyed'> {
  return route !== null && endpoint(route).retry === 'keyed';
}

export function isAction(route: EndpointId | null): route is Exclude<RouteOf<'once'>, 'webhooks.register'> {
  return route !== null && endpoint(route).lookup !== null;
}

export function isRead(route: EndpointId | null): route is RouteOf<'safe'> {
  return route !== null && endpoint(route).retry === 'safe';
}

export function runViewOf(run: SeenRun, changing: ChangingPaths): RunView {
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
      payment.keys.push({ scope, key, requests: [request], isUnpaid: false, isThrottled: false });
    else use.requests.push(request);
  }
  const byOperation = new Map<string, SeenPayment>();
  for (const operation of run.operations) {
    const payment = byRequest.get(operation.requestNumber);
    payment?.operations.push(operation);
    if (payment !== undefined) byOperation.set(nameOf(operation.scope, operation.id), payment);
  }
  const failures = knownFailures(run);
  for (const { keys, operations } of payments.values())
    for (const use of keys) setKeyState(use, operations, failures);
  const paymentOf = ({ number, scope, operation }: SeenRequest): SeenPayment | null =>
    byRequest.get(number) ?? byOperation.get(nameOf(scope, operation)) ?? null;
  return { run, payments, paymentOf };
}

/** The name includes the scope, because a sandbox with a fixed seed gives the same ids again after a reset. */
function nameOf(scope: string, operation: string | null): string {
  return `${scope} ${operation ?? ''}`;
}

function setKeyState(use: KeyUse, operations: SeenOperation[], failures: ReadonlySet<SeenOperation>): void {
  let isOpen = false;
  for (const { answer } of use.requests) {
    const status = answer.kind === 'readable' ? answer.status : 0;
    use.isThrottled = status === 429 && !isOpen;
    use.isUnpaid = status === 400 || ([401, 403, 404].includes(status) && !isOpen);
    isOpen ||= isOutcomeUnknown(answer);
  }
  const isMine = ({ scope, key }: SeenOperation): boolean => scope === use.scope && key === use.key;
  if (operations.some((operation) => isMine(operation) && failures.has(operation))) use.isUnpaid = true;
}

export function knownFailures({ requests, deliveries, operations }: SeenRun): ReadonlySet<SeenOperation> {
  const failedNames = requests.flatMap(({ scope, answer }) => {
    const states = answer.kind === 'readable' ? [answer.operation, ...answer.events] : [];
    return states.filter(isFailed).map(({ id }) => nameOf(scope, id));
  });
  const failedIds = deliveries
    .filter(({ statuses }) => statuses.some(isSuccessStatus))
    .map(({ operation }) => operation)
    .filter(isFailed)
    .map(({ id }) => id);
  const reportedFailures = new Set([...failedNames, ...failedIds]);
  const isReported = ({ scope, id }: SeenOperation): boolean =>
    reportedFailures.has(nameOf(scope, id)) || reportedFailures.has(id);
  return new Set(operations.filter((operation) => operation.status === 'failed' && isReported(operation)));
}

function isFailed(operation: OperationState | null): operation is OperationState {
  return operation?.status === 'failed';
}

export function isSuccessStatus(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
