import { CLIENT_FAULTS, type Spoiling } from './faults.js';
import type { Baseline } from './baseline.js';
import type { ClientCase } from './points.js';
import { fingerprintOf, flowOf, type ChangingPaths } from './fingerprint.js';
import { isCreate, isRead } from './run-view.js';
import type { SeenRequest } from './request-seen.js';

const LOST_LOOK_NAME = 'look-503';

export function spoilingOf(
  theCase: ClientCase,
  { changing }: Pick<Baseline, 'changing'>,
  before: readonly SeenRequest[],
  request: SeenRequest,
): Spoiling | null {
  const row = CLIENT_FAULTS.find(({ id }) => id === theCase.fault);
  if (row === undefined || theCase.at === null) return null;
  const hits = before.filter(({ fault }) => fault === theCase.fault);
  if (row.failedReads > 0 && hits.length > 0) return lostLook(before, hits, request, row.failedReads);
  if (hits.length >= row.times || !isHit(theCase, changing, before, request)) return null;
  const { outcome, isCarriedOut, instead } = row;
  const { fault: name, holdMs } = theCase;
  const head = { name, outcome, isCarriedOut, holdMs };
  if (instead.kind !== 'error' || instead.status !== 409 || isCreate(request.route))
    return { ...head, instead };
  const isCancel = request.route === 'payins.cancel' || request.route === 'payouts.cancel';
  const code = isCancel ? 'not_cancellable' : 'code_not_expected';
  // A client that looks the operation up after the 409 must find the action carried out.
  return { ...head, isCarriedOut: true, instead: { ...instead, code } };
}

type Requests = readonly SeenRequest[];

function lostLook(before: Requests, hits: Requests, { route, operation, scope }: SeenRequest, times: number) {
  const isLook =
    route === 'events.list' ||
    (isRead(route) && hits.some((hit) => hit.operation === operation && hit.scope === scope));
  if (!isLook || before.filter(({ fault }) => fault === LOST_LOOK_NAME).length >= times) return null;
  const error = { kind: 'error', status: 503, code: 'temporarily_unavailable' } as const;
  const instead = { ...error, retryAfterSeconds: 1 };
  return { name: LOST_LOOK_NAME, outcome: null, isCarriedOut: false, holdMs: 0, instead };
}

function isHit({ fault, at }: ClientCase, changing: ChangingPaths, before: Requests, request: SeenRequest) {
  if (at === null) return false;
  const { route, fingerprint, ordinal } = at;
  const makerOf = ({ operation, scope }: SeenRequest): SeenRequest | undefined =>
    before.find((one) => one.madeId !== null && one.madeId === operation && one.scope === scope);
  // A pay-in with a code becomes pending only at its confirm, so the fault hits the confirm.
  const isByConfirm = fault === 'pending' && request.route === 'payins.confirm' && route === 'payins.create';
  if (request.route !== route && !isByConfirm) return false;
  if (fingerprint === null) return true;
  const create = isCreate(request.route) ? request : makerOf(request);
  if (create === undefined || !isCreate(create.route)) return false;
  if (fault === 'pending' && isCreate(request.route) && flowOf(request.body) === 'code') return false;
  if (fingerprintOf(create.route, create.body, changing) !== fingerprint) return false;
  const keys = new Set<string>();
  for (const one of before) {
    if (one.number >= create.number || !isCreate(one.route)) continue;
    if (fingerprintOf(one.route, one.body, changing) === fingerprint) keys.add(scopedKeyOf(one));
  }
  return [...keys.add(scopedKeyOf(create))].indexOf(scopedKeyOf(create)) + 1 >= ordinal;
}

function scopedKeyOf({ scope, key }: SeenRequest): string {
  return JSON.stringify([scope, key]);
}
