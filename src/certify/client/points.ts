import { type EndpointId, ENDPOINT_IDS } from '../../contract/endpoints.js';
import { CLIENT_FAULTS, type FaultPlace } from './faults.js';
import type { Baseline } from './baseline.js';
import { flowOf } from './fingerprint.js';
import { isAction, isCreate, isRead, type SeenPayment } from './run-view.js';
import type { SeenRequest } from './request-seen.js';

/** An answer is held for more than a second, so that an idempotency key made from the time differs in a retry. */
const HOLD_MS = 1100;
const HOLDING_FAULTS: readonly string[] = ['lost-before', 'lost-after'];

export type ClientCase = Readonly<ReturnType<typeof casesOf>[number]>;

export function casesOf(baseline: Baseline, options: { points: number; mayRerun: boolean }) {
  const paymentCases = ENDPOINT_IDS.flatMap((route) => {
    const actionPoints = isAction(route) || isRead(route) ? requestPointsOf(baseline, route) : [];
    const points = isCreate(route) ? createPointsOf(baseline, route) : actionPoints;
    points.sort((one, other) => Number(other.paymentCount > 1) - Number(one.paymentCount > 1));
    return points
      .slice(0, options.points)
      .flatMap((point) => casesAt(baseline, route, point, options.mayRerun));
  });
  const hasDeliveries = baseline.views.every(({ run }) =>
    run.deliveries.some(({ type }) => type !== 'test.ping'),
  );
  const runCases = CLIENT_FAULTS.filter(({ on }) => on.some((place: FaultPlace) => place === 'run'))
    .filter(({ id }) => hasDeliveries || id === 'members')
    .map(({ id }) => ({ id, fault: id, at: null, holdMs: 0, isRerun: false }));
  return [...paymentCases, ...runCases];
}

interface Point {
  readonly fingerprint: string | null;
  readonly ordinal: number;
  readonly paymentCount: number;
}

function casesAt(baseline: Baseline, route: EndpointId, point: Point, mayRerun: boolean) {
  const { fingerprint, ordinal } = point;
  const label = fingerprint === null ? '' : `-${baseline.payments.get(fingerprint)?.label ?? fingerprint}`;
  const isHeld = isCreate(route) && (baseline.hasNewKeys || baseline.changing.has(route));
  return (
    CLIENT_FAULTS.filter(({ on }) => on.some((place: FaultPlace) => canHit(place, route)))
      .filter((fault) => mayRerun || !fault.isRerun)
      // After a 409 for a resend, a look would still show that its code is awaited.
      .filter(({ id }) => id !== 'r409' || route !== 'payins.resend')
      .filter(({ id, outcome }) => {
        // The fault `pending` of a create with a code hits its confirm.
        const mayWaitForConfirm = id === 'pending' || !isCreate(route);
        return !outcome?.startsWith('pending') || canBePending(baseline, fingerprint, mayWaitForConfirm);
      })
      .map((fault) => ({
        id: `${fault.id}:${route}${label}`,
        fault: fault.id,
        at: { route, fingerprint, ordinal },
        holdMs: isHeld && HOLDING_FAULTS.includes(fault.id) ? HOLD_MS : fault.holdMs,
        isRerun: fault.isRerun,
      }))
  );
}

function canHit(place: FaultPlace, route: EndpointId): boolean {
  if (place === 'confirm') return route === 'payins.confirm';
  if (place === 'create') return isCreate(route);
  return place === 'action' ? isAction(route) : place === 'read' && isRead(route);
}

function createPointsOf({ views, payments }: Baseline, route: EndpointId): Point[] {
  return [...payments.values()].flatMap(({ fingerprint, route: paymentRoute }) => {
    const runPayments = views.map((view) => view.payments.get(fingerprint));
    const [first] = runPayments;
    if (paymentRoute !== route || first === undefined || !runPayments.every(isMadeInFull)) return [];
    return [{ fingerprint, ordinal: first.keys.length, paymentCount: first.keys.length }];
  });
}

function isMadeInFull(payment: SeenPayment | undefined): boolean {
  const last = payment?.keys.at(-1);
  if (payment === undefined || last?.requests.every(isSuccess) !== true) return false;
  const lastOperations = payment.operations.filter(
    ({ scope, key }) => scope === last.scope && key === last.key,
  );
  return lastOperations.length > 0 && lastOperations.every(({ status }) => status !== 'failed');
}

function requestPointsOf({ views: [view] }: Baseline, route: EndpointId): Point[] {
  const byPayment = new Map<string | null, number[]>();
  for (const request of view?.run.requests ?? []) {
    const payment = view?.paymentOf(request) ?? null;
    const hasOperation = request.operation !== null;
    if (request.route !== route || !isSuccess(request) || (payment === null && hasOperation)) continue;
    const fingerprint = payment?.fingerprint ?? null;
    byPayment.set(fingerprint, [...(byPayment.get(fingerprint) ?? []), ordinalOf(payment, request)]);
  }
  return [...byPayment].map(([fingerprint, ordinals]) => {
    const paymentCount = view?.payments.get(fingerprint ?? '')?.keys.length ?? 0;
    const coversEveryKey = isRead(route) || new Set(ordinals).size === paymentCount;
    return { fingerprint, ordinal: coversEveryKey ? 1 : Math.max(...ordinals), paymentCount };
  });
}

function ordinalOf(payment: SeenPayment | null, { operation, scope: requestScope }: SeenRequest): number {
  const maker = payment?.operations.find(({ id, scope }) => id === operation && scope === requestScope);
  const at = payment?.keys.findIndex(({ scope, key }) => scope === maker?.scope && key === maker.key) ?? 0;
  return Math.max(at, 0) + 1;
}

/** A successful cancel makes the operation `failed`. */
function isSuccess({ answer, route }: SeenRequest): boolean {
  if (answer.kind !== 'readable' || answer.status >= 300) return false;
  return answer.operation?.status !== 'failed' || route === 'payins.cancel' || route === 'payouts.cancel';
}

/**
 * A pay-in with a code becomes pending only at its confirm, and one that waits for a payer never does, because the
 * exam has no payer.
 */
function canBePending(
  { views: [view], payments }: Baseline,
  fingerprint: string | null,
  mayWaitForConfirm: boolean,
) {
  const body = payments.get(fingerprint ?? '')?.body;
  const flow = body === undefined ? null : flowOf(body);
  if (flow !== 'code') return flow !== 'payment';
  const isItsConfirm = (request: SeenRequest): boolean =>
    request.route === 'payins.confirm' &&
    isSuccess(request) &&
    view?.paymentOf(request)?.fingerprint === fingerprint;
  return mayWaitForConfirm && view?.run.requests.some(isItsConfirm) === true;
}
